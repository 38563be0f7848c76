"""Compiled: binary trees as nodes in preorder, whose subtrees move with their sums of features kept up to date.

In preorder a node stands before its two branches, so a whole branch is one stretch of the order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.structures.triplets import compiled, fill_children, fill_preorder
from askwise.types import Floats, Ints


class PreorderTree(NamedTuple):
    """One tree that changes in place. Of each node, (2n - 1,):"""

    parent: Ints
    order: Ints  # the nodes in preorder, the root first
    place: Ints  # where a node stands in that order
    end: Ints  # the place after the last node below it
    size: Ints  # items below it
    total: Floats  # (2n - 1, D) sum of their features
    square: Floats  # sum of their squared lengths
    spare: Ints


class TreeSpace(NamedTuple):
    """Space for one tree, for one after another."""

    whole: Ints  # (5, 2n - 1)
    total: Floats  # (2n - 1, D)
    square: Floats  # (2n - 1,)


def tree_space(nodes: int, dimensions: int) -> TreeSpace:
    """Space for a tree of so many nodes, with so many features."""
    return TreeSpace(np.zeros((5, nodes), dtype=np.int32), np.zeros((nodes, dimensions)), np.zeros(nodes))


@compiled
def make_tree(parent: Ints, space: TreeSpace, features: Floats) -> PreorderTree:
    """The tree of these parents."""
    whole, total, square = space
    tree = PreorderTree(parent, whole[0], whole[1], whole[2], whole[3], total, square, whole[4])
    fill_tree(tree, features)
    return tree


@compiled
def fill_tree(tree: PreorderTree, features: Floats) -> None:
    """Fills everything but the parents."""
    leaves, nodes = len(features), len(tree.parent)
    root = fill_children(tree.parent, tree.place, tree.end)
    fill_preorder(root, tree.place, tree.end, tree.order, tree.spare)
    for node in range(leaves, nodes):
        tree.size[node], tree.square[node] = 0, 0.0
        for k in range(features.shape[1]):
            tree.total[node, k] = 0.0
    for at in range(nodes - 1, -1, -1):
        node = tree.order[at]
        if node < leaves:
            tree.size[node] = 1
            tree.square[node] = 0.0
            for k in range(features.shape[1]):
                tree.total[node, k] = features[node, k]
                tree.square[node] += features[node, k] ** 2
        tree.place[node] = at
        tree.end[node] = at + 2 * tree.size[node] - 1
        if at:
            add_branch(tree, tree.parent[node], node, 1)


@compiled
def add_branch(tree: PreorderTree, node: int, branch: int, sign: int) -> None:
    """Adds the items of `branch` to those of `node` (sign 1), or removes them (-1)."""
    tree.size[node] += sign * tree.size[branch]
    tree.end[node] += sign * 2 * tree.size[branch]
    tree.square[node] += sign * tree.square[branch]
    for k in range(tree.total.shape[1]):
        tree.total[node, k] += sign * tree.total[branch, k]


@compiled
def sibling(tree: PreorderTree, node: int) -> int:
    """The other branch of a node's parent."""
    first = tree.order[tree.place[tree.parent[node]] + 1]
    return int(tree.order[tree.end[node]] if first == node else first)


@compiled
def copy_stretch(tree: PreorderTree, start: int, stop: int, at: int) -> int:
    """Puts the nodes of a stretch of the spare order at `at` and after; returns the place behind them."""
    for old in range(start, stop):
        node = tree.spare[old]
        tree.order[at] = node
        tree.place[node] = at
        tree.end[node] = at + 2 * tree.size[node] - 1
        at += 1
    return at


@compiled
def move_subtree(tree: PreorderTree, node: int, below: int) -> None:
    """Puts the subtree of `node`, with its parent, on the edge above `below`, which is outside of it."""
    joint, other = tree.parent[node], sibling(tree, node)
    fork, first, last, target = tree.place[joint], tree.place[node], tree.end[node], tree.place[below]
    meet = tree.parent[joint]  # the lowest node above both places: from there up, nothing changes
    for _ in range(len(tree.parent)):  # no way up is longer than the tree has nodes
        if meet < 0 or tree.place[meet] < target < tree.end[meet]:
            break
        add_branch(tree, meet, node, -1)
        meet = tree.parent[meet]
    tree.parent[other] = tree.parent[joint]
    tree.parent[joint] = above = tree.parent[below]
    tree.parent[below] = joint
    tree.size[joint], tree.square[joint] = tree.size[below], tree.square[below]
    for k in range(tree.total.shape[1]):
        tree.total[joint, k] = tree.total[below, k]
    add_branch(tree, joint, node, 1)
    for _ in range(len(tree.parent)):
        if above == meet:
            break
        add_branch(tree, above, node, 1)
        above = tree.parent[above]
    start, stop = min(fork, target), max(last, target)
    for at in range(start, stop):
        tree.spare[at] = tree.order[at]
    at = start  # what stood before the target, without the fork and the subtree; these; then what stood after it
    at = copy_stretch(tree, start, min(fork, target), at)
    at = copy_stretch(tree, max(start, fork + 1), min(first, target), at)
    at = copy_stretch(tree, max(start, last), target, at)
    at = copy_stretch(tree, fork, fork + 1, at)
    at = copy_stretch(tree, first, last, at)
    at = copy_stretch(tree, target, fork, at)
    at = copy_stretch(tree, max(target, fork + 1), first, at)
    copy_stretch(tree, max(target, last), stop, at)


@compiled
def feature_variance(size: int, square: float, total: Floats, more: Floats, sign: int) -> float:
    """The variance of items whose features sum to total + sign * more; 0 for a single one."""
    if size < 2:
        return 0.0
    length = 0.0
    for k in range(len(total)):
        length += (total[k] + sign * more[k]) ** 2
    return max(square - length / size, 0.0) / (size - 1)


@compiled
def feature_cost(tree: PreorderTree) -> float:
    """The sum over inner nodes of the variance of the items below."""
    cost = 0.0
    for node in range((len(tree.parent) + 1) // 2, len(tree.parent)):
        cost += feature_variance(tree.size[node], tree.square[node], tree.total[node], tree.total[node], 0)
    return cost


def feature_costs(parents: Ints, features: Floats) -> Floats:
    """(S,): the sum over inner nodes of the variance of the items below."""
    costs = np.zeros(len(parents))
    fill_costs(parents, features, tree_space(parents.shape[1], features.shape[1]), costs)
    return costs


@compiled
def fill_costs(parents: Ints, features: Floats, space: TreeSpace, costs: Floats) -> None:
    for s in range(len(parents)):
        costs[s] = feature_cost(make_tree(parents[s], space, features))
