"""The posterior of segmentations: exact, with independent draws, by filtering along the line.

`posterior` is the interface, and `filtering` the compiled recursion. Only losses, options, problems and structures are
known here.
"""
