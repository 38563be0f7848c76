"""Compiled: subtree-prune-regraft moves on binary trees, with the new place drawn from its exact conditional.

A move cuts off the subtree of a node and puts it back on any edge of what is left, the edge above the root included.
For all edges at once the change of the posterior follows from one walk over the rest of the tree:

- An answered triple depends on the edge only if exactly one of its items, x, is cut off. With a, b the other two and c
  the node where these meet: x joins a on the edges inside c's branch towards a, joins b inside the other, and is left
  out anywhere else. So a triple adds to the cost of whole branches, and sums from the root down give every edge's.
- The features' cost changes only at the node the subtree is put on and at the nodes above it.

Drawing the edge with these probabilities needs no rejection. The node to cut is chosen with a chance that does not
depend on where its subtree hangs, so every move leaves the posterior as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.posteriors.tree_surgery import Tree, cut, feature_cost, gather, graft, spread
from askwise.structures.tree_answers import children, compiled, preorder
from askwise.types import Floats, Ints

CLIMB = 0.5  # of the chance that a move that starts at an item cuts one level higher


class Evidence(NamedTuple):
    """The answers so far, with an index from each item to the triples it is in."""

    triples: Ints  # (T, 3)
    odd: Ints  # (T,) the item left out
    starts: Ints  # (n + 1,) where each item's triples begin in `touching`
    touching: Ints  # (3T,)
    fading: Floats  # exp(-beta k) for k = 0, 1, ... wrong answers, down to nothing


class Beliefs(NamedTuple):
    """The features and how strongly they speak, on a grid of strengths."""

    features: Floats  # (n, D), D = 0: every tree is equally likely
    strengths: Floats  # (L,)
    log_weights: Floats  # (L,) log prior weight minus log normaliser of each


class Work(NamedTuple):
    """Scratch, so that a move allocates nothing."""

    rest: Ints  # the nodes that are left, parents first
    gone: Ints  # the nodes cut off
    stack: Ints
    depth: Ints
    inside: Ints  # 1 for what is cut off, between moves 0
    wrong: Ints  # answers that are wrong, by branch and then summed from the root down
    path: Floats  # what the features cost more at the nodes down to this one
    price: Floats  # what they cost on each edge
    chance: Floats  # of each edge, not normalised


@compiled
def uniform(state: Ints) -> float:
    """A number in [0, 1) from the chain's own SplitMix64 generator, so that results depend on no thread or order."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * 1.1102230246251565e-16


@compiled
def mark_wrong(tree: Tree, evidence: Evidence, work: Work, count: int) -> None:
    """Adds to work.wrong, branch by branch, what each answer about one of the `count` nodes cut off costs there, beside
    what it costs outside both branches."""
    for place in range(count):
        item = work.gone[place]
        if item >= len(evidence.starts) - 1:
            continue
        for at in range(evidence.starts[item], evidence.starts[item + 1]):
            row = evidence.touching[at]
            i, j, k = evidence.triples[row]
            one, two = (j, k) if item == i else (i, k) if item == j else (i, j)
            if work.inside[one] or work.inside[two]:
                continue
            a, b, branch_a, branch_b = one, two, one, two
            while a != b:
                if work.depth[a] >= work.depth[b]:
                    branch_a, a = a, tree.parent[a]
                else:
                    branch_b, b = b, tree.parent[b]
            odd = evidence.odd[row]
            if odd == item:
                work.wrong[branch_a] += 1
                work.wrong[branch_b] += 1
            else:
                work.wrong[branch_a if odd == two else branch_b] -= 1


@compiled
def walk(tree: Tree, work: Work, root: int) -> int:
    """Fills work.rest with the nodes from the root down and their depths, and clears work.wrong; returns how many."""
    work.stack[0], waiting, count = root, 1, 0
    work.depth[root] = 0
    while waiting:
        waiting -= 1
        node = work.stack[waiting]
        work.rest[count] = node
        work.wrong[node] = 0
        count += 1
        one, two = tree.left[node], tree.right[node]
        if one >= 0:
            work.depth[one] = work.depth[two] = work.depth[node] + 1
            work.stack[waiting], work.stack[waiting + 1] = two, one
            waiting += 2
    return count


@compiled
def add_features(tree: Tree, beliefs: Beliefs, work: Work, node: int, count: int, strength: float) -> None:
    """Multiplies work.chance by what the features say about each of the `count` edges."""
    moved, leaves, nothing = tree.total[node], len(beliefs.features), np.zeros(tree.total.shape[1])
    least = np.inf
    for place in range(count):
        edge = work.rest[place]
        above, size, square = tree.parent[edge], tree.size[edge], tree.square[edge]
        before = 0.0 if above < 0 else work.path[above]
        joined = before + spread(size + tree.size[node], square + tree.square[node], tree.total[edge], moved)
        alone = spread(size, square, tree.total[edge], nothing) if edge >= leaves else 0.0
        work.path[edge] = joined - alone
        work.price[place] = joined
        least = min(least, joined)
    for place in range(count):
        work.chance[place] *= np.exp(-strength * (work.price[place] - least))


@compiled
def weigh(tree: Tree, work: Work, count: int, fading: Floats) -> None:
    """Sums work.wrong from the root down, and fills work.chance with what the answers leave each edge."""
    least = work.wrong[work.rest[0]]
    for place in range(1, count):
        edge = work.rest[place]
        work.wrong[edge] += work.wrong[tree.parent[edge]]
        least = min(least, work.wrong[edge])
    for place in range(count):
        work.chance[place] = fading[min(work.wrong[work.rest[place]] - least, len(fading) - 1)]


@compiled
def pick(chance: Floats, count: int, draw: float) -> int:
    """A place drawn with these weights."""
    total = 0.0
    for place in range(count):
        total += chance[place]
    left = draw * total
    for place in range(count):
        left -= chance[place]
        if left < 0:
            return place
    return int(chance[:count].argmax())  # rounding


@compiled
def regraft(
    tree: Tree, evidence: Evidence, beliefs: Beliefs, work: Work, root: int, node: int, strength: float, draw: float
) -> tuple[int, int, bool]:
    """One move of the subtree of `node`: the new root, the change in the number of wrong answers, whether it moved."""
    root, old = cut(tree, root, node)
    gone = preorder(node, tree.left, tree.right, work.gone, work.stack)
    rest = walk(tree, work, root)
    for place in range(gone):
        work.inside[work.gone[place]] = 1
    mark_wrong(tree, evidence, work, gone)
    for place in range(gone):
        work.inside[work.gone[place]] = 0
    weigh(tree, work, rest, evidence.fading)
    if strength > 0:
        add_features(tree, beliefs, work, node, rest, strength)
    new = work.rest[pick(work.chance, rest, draw)]
    return graft(tree, root, node, new), work.wrong[new] - work.wrong[old], new != old


@compiled
def chosen(parent: Ints, root: int, focus: Ints, state: Ints) -> int:
    """The node to cut: any but the root, or with a focus one of these items or of the nodes above it; -1 for none.

    How far a node is above an item inside its own subtree does not change when the subtree moves, so going up keeps the
    balance of the moves.
    """
    if len(focus) == 0:
        node = int(uniform(state) * (len(parent) - 1))
        return node + 1 if node >= root else node
    node = focus[int(uniform(state) * len(focus))]
    while node != root and uniform(state) < CLIMB:
        node = parent[node]
    return node if node != root else -1


@compiled
def advance(
    parents: Ints,
    wrong: Ints,
    places: Ints,
    seeds: Ints,
    evidence: Evidence,
    beliefs: Beliefs,
    focus: Ints,
    focused: Ints,
    moves: Ints,
) -> float:
    """Moves every chain c, in place: focused[c] times around the items in focus, then moves[c] times anywhere, then a
    new strength of the features. Returns the share of moves that changed a tree."""
    nodes, leaves = parents.shape[1], len(beliefs.features)
    left, right, size, rest, gone, stack, depth, inside, number = np.zeros((9, nodes), dtype=np.int32)
    total, (square, path, price, chance) = np.zeros((nodes, beliefs.features.shape[1])), np.zeros((4, nodes))
    work = Work(rest, gone, stack, depth, inside, number, path, price, chance)
    changed, anywhere = 0, focus[:0]
    for chain in range(len(parents)):
        tree = Tree(parents[chain], left, right, size, total, square)
        state = seeds[chain : chain + 1]
        root = children(tree.parent, left, right)
        preorder(root, left, right, rest, stack)
        gather(tree, beliefs.features, rest)
        for move in range(focused[chain] + moves[chain]):
            node = chosen(tree.parent, root, focus if move < focused[chain] else anywhere, state)
            if node >= 0:
                strength = beliefs.strengths[places[chain]]
                root, more, moved = regraft(tree, evidence, beliefs, work, root, node, strength, uniform(state))
                wrong[chain] += more
                changed += moved
        if len(beliefs.strengths) > 1:
            logs = beliefs.log_weights - beliefs.strengths * feature_cost(tree, leaves)
            places[chain] = pick(np.exp(logs - logs.max()), len(logs), uniform(state))
    return changed / max(1, focused.sum() + moves.sum())
