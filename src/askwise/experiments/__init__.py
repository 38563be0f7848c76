"""The paper's experiments: sweeps of simulated runs, its figures, and checks of its lemmas and guarantees.

`runner` makes the runs, `figures` and `plots` draw them, and `lemmas`, `guarantees`, `line` and `ranking` check the
theory. It may import everything but the web and the command.
"""
