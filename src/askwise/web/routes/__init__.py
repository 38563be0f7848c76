"""The addresses of the web app: what participants may do, what owners may do, and the pages.

A route authenticates, validates and calls a service. It holds no state.
"""
