"""Speed, questions and robustness, measured. Each benchmark is a module to run: `python -m benchmarks.NAME`."""
