"""The posterior of a low-rank matrix with row and column offsets, sampled by Gibbs chains.

`posterior` is the interface and `model` holds the state of the chains. `gibbs` has the compiled sweeps, and
`precisions` draws how tight offsets and factors are.
"""
