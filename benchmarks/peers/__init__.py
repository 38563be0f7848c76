"""Other libraries and askwise on the same tasks, with the same simulated people: `make peers`."""
