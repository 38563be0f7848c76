"""Posteriors of clusterings, sampled by many warm chains: groups made of clouds, or clusters that are round clouds.

`cloud_posterior` and `posterior` are the interfaces, and `base` is what they share. `cloud_chains` runs the compiled
moves of `clouds` and `parts`; `chains` runs those of `gibbs`, `split_merge` and `scales`. Only losses, options and
structures are known here.
"""
