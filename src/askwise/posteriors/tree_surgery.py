"""Compiled: binary trees as a line of nodes, from which subtrees are moved with sums of features kept up to date.

The line is the preorder: a node stands before its two branches, so that the nodes below it are the next ones in line,
and what concerns a whole branch concerns a stretch of the line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.structures.tree_answers import children, compiled, inlined, preorder
from askwise.types import Floats, Ints


class Tree(NamedTuple):
    """One tree being changed; of each node, (2n - 1,):"""

    parent: Ints
    line: Ints  # the nodes, each before those below it, the root first
    place: Ints  # where in line a node stands
    end: Ints  # the place after the last node below it
    size: Ints  # items below it
    total: Floats  # (2n - 1, D) sum of their features
    square: Floats  # sum of their squared lengths
    spare: Ints


@compiled
def empty_tree(parent: Ints, dimensions: int) -> Tree:
    """The tree of these parents, with room for the rest; `line_up` fills it."""
    nodes = len(parent)
    line, place, end, size, spare = np.zeros((5, nodes), dtype=np.int32)
    return Tree(parent, line, place, end, size, np.zeros((nodes, dimensions)), np.zeros(nodes), spare)


@compiled
def line_up(tree: Tree, features: Floats) -> None:
    """Fills everything but the parents."""
    leaves, nodes = len(features), len(tree.parent)
    root = children(tree.parent, tree.place, tree.end)
    preorder(root, tree.place, tree.end, tree.line, tree.spare)
    tree.size[leaves:] = 0
    tree.total[leaves:] = 0.0
    tree.square[leaves:] = 0.0
    for at in range(nodes - 1, -1, -1):
        node = tree.line[at]
        if node < leaves:
            tree.size[node] = 1
            tree.square[node] = 0.0
            for k in range(features.shape[1]):
                tree.total[node, k] = features[node, k]
                tree.square[node] += features[node, k] ** 2
        tree.place[node] = at
        tree.end[node] = at + 2 * tree.size[node] - 1
        if at:
            add(tree, tree.parent[node], node, 1)


@inlined
def add(tree: Tree, node: int, branch: int, sign: int) -> None:
    """Adds the items of `branch` to those of `node`, or takes them away."""
    tree.size[node] += sign * tree.size[branch]
    tree.end[node] += sign * 2 * tree.size[branch]
    tree.square[node] += sign * tree.square[branch]
    for k in range(tree.total.shape[1]):
        tree.total[node, k] += sign * tree.total[branch, k]


@inlined
def beside(tree: Tree, node: int) -> int:
    """The other branch of a node's parent."""
    first = tree.line[tree.place[tree.parent[node]] + 1]
    return int(tree.line[tree.end[node]] if first == node else first)


@inlined
def copy(tree: Tree, start: int, stop: int, at: int) -> int:
    """Puts the nodes of a stretch of the spare line in line from `at` on; returns the place after them."""
    for old in range(start, stop):
        node = tree.spare[old]
        tree.line[at] = node
        tree.place[node] = at
        tree.end[node] = at + 2 * tree.size[node] - 1
        at += 1
    return at


@compiled
def move(tree: Tree, node: int, below: int) -> None:
    """Puts the subtree of `node`, with its parent, on the edge above `below`, which is outside of it."""
    joint, other = tree.parent[node], beside(tree, node)
    fork, first, last, target = tree.place[joint], tree.place[node], tree.end[node], tree.place[below]
    meet = tree.parent[joint]  # the lowest node above both places: from there up, nothing changes
    for _ in range(len(tree.parent)):  # no way up is longer than the tree has nodes
        if meet < 0 or tree.place[meet] < target < tree.end[meet]:
            break
        add(tree, meet, node, -1)
        meet = tree.parent[meet]
    tree.parent[other] = tree.parent[joint]
    tree.parent[joint] = above = tree.parent[below]
    tree.parent[below] = joint
    tree.size[joint], tree.square[joint] = tree.size[below], tree.square[below]
    for k in range(tree.total.shape[1]):
        tree.total[joint, k] = tree.total[below, k]
    add(tree, joint, node, 1)
    for _ in range(len(tree.parent)):
        if above == meet:
            break
        add(tree, above, node, 1)
        above = tree.parent[above]
    start, stop = min(fork, target), max(last, target)
    tree.spare[start:stop] = tree.line[start:stop]
    at = start  # what stood before the target, without the fork and the subtree; these; then what stood after it
    at = copy(tree, start, min(fork, target), at)
    at = copy(tree, max(start, fork + 1), min(first, target), at)
    at = copy(tree, max(start, last), target, at)
    at = copy(tree, fork, fork + 1, at)
    at = copy(tree, first, last, at)
    at = copy(tree, target, fork, at)
    at = copy(tree, max(target, fork + 1), first, at)
    copy(tree, max(target, last), stop, at)


@compiled
def spread(size: int, square: float, total: Floats, more: Floats, sign: int) -> float:
    """The variance of items whose features sum to total + sign * more; 0 for a single one."""
    if size < 2:
        return 0.0
    length = 0.0
    for k in range(len(total)):
        length += (total[k] + sign * more[k]) ** 2
    return max(square - length / size, 0.0) / (size - 1)


@compiled
def feature_cost(tree: Tree) -> float:
    """The sum over inner nodes of the variance of the items below."""
    cost = 0.0
    for node in range((len(tree.parent) + 1) // 2, len(tree.parent)):
        cost += spread(tree.size[node], tree.square[node], tree.total[node], tree.total[node], 0)
    return cost


@compiled
def feature_costs(parents: Ints, features: Floats) -> Floats:
    """(S,): the sum over inner nodes of the variance of the items below."""
    costs = np.zeros(len(parents))
    for s in range(len(parents)):
        tree = empty_tree(parents[s], features.shape[1])
        line_up(tree, features)
        costs[s] = feature_cost(tree)
    return costs
