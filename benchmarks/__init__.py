"""Speed and question-count benchmarks; each is a module to run with `python -m`."""
