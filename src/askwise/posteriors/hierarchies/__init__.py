"""The posterior of binary hierarchies, sampled by warm chains of trees.

`posterior` is the interface. `prune_regraft` moves subtrees, and `preorder_tree` keeps the arrays of a tree consistent.
"""
