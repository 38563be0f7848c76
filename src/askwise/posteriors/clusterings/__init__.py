"""The posterior of clusterings: a Chinese-restaurant process with Gaussian clusters, sampled by many warm chains.

`posterior` is the interface; `chains` runs the compiled moves of `gibbs`, `split_merge` and `scales`. Only losses,
options and structures are known here.
"""
