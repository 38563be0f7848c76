"""Compiled: cutting subtrees off a binary tree and putting them back, with sums of features kept up to date."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.structures.tree_answers import children, compiled, preorder
from askwise.types import Floats, Ints


class Tree(NamedTuple):
    """One tree being changed."""

    parent: Ints  # (2n - 1,) each
    left: Ints
    right: Ints
    size: Ints  # items below a node
    total: Floats  # (2n - 1, D) sum of their features
    square: Floats  # (2n - 1,) sum of their squared lengths


@compiled
def spread(size: int, square: float, total: Floats, more: Floats) -> float:
    """The variance of a node's items, total + more their sum of features; 0 for a single one."""
    if size < 2:
        return 0.0
    length = 0.0
    for k in range(len(total)):
        length += (total[k] + more[k]) ** 2
    return max(square - length / size, 0.0) / (size - 1)


@compiled
def gather(tree: Tree, features: Floats, order: Ints) -> None:
    """Sizes and sums of every node, from the leaves up; `order` has parents first."""
    leaves = len(features)
    tree.size[:] = 0
    tree.total[:] = 0.0
    tree.square[:] = 0.0
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        if node < leaves:
            tree.size[node] = 1
            tree.total[node] = features[node]
            tree.square[node] = (features[node] ** 2).sum()
        above = tree.parent[node]
        if above >= 0:
            tree.size[above] += tree.size[node]
            tree.total[above] += tree.total[node]
            tree.square[above] += tree.square[node]


@compiled
def feature_cost(tree: Tree, leaves: int) -> float:
    """The sum over inner nodes of the variance of the items below."""
    cost, nothing = 0.0, np.zeros(tree.total.shape[1])
    for node in range(leaves, len(tree.parent)):
        cost += spread(tree.size[node], tree.square[node], tree.total[node], nothing)
    return cost


@compiled
def carry(tree: Tree, node: int, start: int, sign: int) -> None:
    """Adds the subtree of `node` to every node from `start` up, or takes it away."""
    above = start
    while above >= 0:
        tree.size[above] += sign * tree.size[node]
        tree.square[above] += sign * tree.square[node]
        for k in range(tree.total.shape[1]):
            tree.total[above, k] += sign * tree.total[node, k]
        above = tree.parent[above]


@compiled
def cut(tree: Tree, root: int, node: int) -> tuple[int, int]:
    """Takes out the subtree of `node` with its parent; returns the root of what is left, and where it hung: the node
    below that edge."""
    joint = tree.parent[node]
    beside = tree.right[joint] if tree.left[joint] == node else tree.left[joint]
    above = tree.parent[joint]
    tree.parent[beside] = above
    if above < 0:
        return beside, beside
    if tree.left[above] == joint:
        tree.left[above] = beside
    else:
        tree.right[above] = beside
    carry(tree, node, above, -1)
    return root, beside


@compiled
def graft(tree: Tree, root: int, node: int, below: int) -> int:
    """Puts the subtree of `node`, with its parent, on the edge above `below`; returns the root."""
    joint, above = tree.parent[node], tree.parent[below]
    tree.parent[joint] = above
    tree.parent[below] = joint
    tree.left[joint], tree.right[joint] = node, below
    tree.size[joint], tree.square[joint] = tree.size[below], tree.square[below]
    tree.total[joint] = tree.total[below]
    if above >= 0:
        if tree.left[above] == below:
            tree.left[above] = joint
        else:
            tree.right[above] = joint
    carry(tree, node, joint, 1)
    return joint if above < 0 else root


@compiled
def feature_costs(parents: Ints, features: Floats) -> Floats:
    """(S,): the sum over inner nodes of the variance of the items below."""
    nodes, costs = parents.shape[1], np.zeros(len(parents))
    left, right, size, order, stack = np.zeros((5, nodes), dtype=np.int32)
    total, square = np.zeros((nodes, features.shape[1])), np.zeros(nodes)
    for s in range(len(parents)):
        tree = Tree(parents[s], left, right, size, total, square)
        preorder(children(tree.parent, left, right), left, right, order, stack)
        gather(tree, features, order)
        costs[s] = feature_cost(tree, len(features))
    return costs
