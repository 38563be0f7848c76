"""Simulated people, the tasks they answer, and one simulated run."""
