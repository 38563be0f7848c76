"""Posteriors of linear scores under a convex loss: classifiers, rankings and choices.

`LogConcave` serves two answers, `softmax` several labels, and `mala` is the paper's sampler for comparison. Each
sampler starts from a Gaussian reference, and the prior scale is learned by its evidence.
"""
