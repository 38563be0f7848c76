"""Computes what is known of a log and what to ask next, in worker processes.

`learner` computes states, `dashboard` and `fragments` compute what owners see, and `workers` runs the processes.
Nothing here knows about HTTP.
"""
