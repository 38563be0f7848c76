"""The web app: people answer, and owners watch.

Routes authenticate and validate, the service of a log records the answer, and the learner computes what is next in
worker processes. The web translates; sessions and storage do the work.
"""
