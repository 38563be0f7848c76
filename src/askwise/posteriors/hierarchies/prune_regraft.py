"""Compiled: subtree-prune-regraft moves on binary trees, with the new place drawn from its exact conditional.

A move cuts off the subtree of a node and puts it back on any edge of the rest, the edge above the root included.
One pass over the nodes in preorder gives the change of the posterior for all edges at once:

- An answered triple depends on the edge only if exactly one of its items, x, is cut off. With a, b the other two and c
  the node where these meet: x joins a on the edges inside c's branch towards a, joins b inside the other, and is left
  out anywhere else. A branch is a stretch of the preorder, so a triple adds to the cost of one stretch.
- The features' cost changes only at the node the subtree is put on and at the nodes above it.

The edge is drawn with these probabilities, so nothing is rejected, and the tree changes only if the subtree moves. The
chance of cutting a node does not depend on where its subtree hangs, so every move leaves the posterior unchanged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise._runtime.compiled import portions
from askwise._runtime.splitmix import uniform
from askwise.posteriors.hierarchies.preorder_tree import (
    PreorderTree,
    TreeSpace,
    feature_cost,
    feature_variance,
    make_tree,
    move_subtree,
    sibling,
    tree_space,
)
from askwise.structures.triplets import compiled
from askwise.types import Floats, Ints

CLIMB_PROBABILITY = 0.5  # that a move around an item cuts one level higher
MAX_VISITS_PER_CALL = 10_000_000  # to nodes and answers: .1 s or less
FORBIDDEN = 1 << 29  # wrong answers: more than there can be


class TripletAnswers(NamedTuple):
    """The answers so far, each listed under all three of its items."""

    starts: Ints  # (n + 1,) where each item's answers begin
    others: Ints  # (3T, 2) the other two items
    odd: Ints  # (3T,) the item left out
    weight: Ints  # (3T,) how many wrong answers a contradiction counts for
    beta: float  # what it costs for each
    fading: Floats  # exp(-beta k) for k = 0, 1, ..., down to 0


class TreeChains(NamedTuple):
    """The state of C chains, changed in place."""

    parents: Ints  # (C, 2n - 1)
    wrong: Ints  # (C,) answers each tree gets wrong, by their weight
    places: Ints  # (C,) the strength of the features, as a place in the grid
    seeds: Ints  # (C,) of the random streams


class FeaturePrior(NamedTuple):
    """The features and how strongly they speak, on a grid of strengths."""

    features: Floats  # (n, D), D = 0: every tree is equally likely
    strengths: Floats  # (L,)
    log_weights: Floats  # (L,) log prior weight minus log normaliser of each


class EdgeScratch(NamedTuple):
    """Scratch space by place in the preorder, so that a move allocates nothing."""

    wrong: Ints  # (2n,) first the change of wrong answers from the place before, then their number; 0 between moves
    path: Floats  # what the features cost more on the way from the root
    price: Floats  # what the features and the answers cost on each edge
    sums: Floats  # of the chances of the edges so far, not normalised


@compiled
def mark_wrong(tree: PreorderTree, answers: TripletAnswers, wrong: Ints, first: int, last: int) -> None:
    """Marks the stretches of the preorder where an answer about one of the items from `first` to `last` costs more, or
    less, than outside both branches."""
    for at in range(first, last):
        item = tree.order[at]
        if item >= len(answers.starts) - 1:
            continue
        for row in range(answers.starts[item], answers.starts[item + 1]):
            one, two = answers.others[row, 0], answers.others[row, 1]
            if first <= tree.place[one] < last or first <= tree.place[two] < last:
                continue
            if tree.place[one] > tree.place[two]:
                one, two = two, one
            branch, meet, target = one, tree.parent[one], tree.place[two]
            for _ in range(len(tree.parent)):  # no way up is longer than the tree has nodes
                if tree.end[meet] > target:
                    break
                branch, meet = meet, tree.parent[meet]
            weight = answers.weight[row]
            if answers.odd[row] == item:
                wrong[tree.place[branch]] += weight
                wrong[tree.end[meet]] -= weight
            elif answers.odd[row] == two:
                wrong[tree.place[branch]] -= weight
                wrong[tree.end[branch]] += weight
            else:
                wrong[tree.end[branch]] -= weight
                wrong[tree.end[meet]] += weight


@compiled
def count_wrong(tree: PreorderTree, wrong: Ints, node: int) -> int:
    """Sums the marks along the preorder, FORBIDDEN for what is cut off; returns the smallest sum."""
    count = 0
    for at in range(len(tree.order)):
        count += wrong[at]
        wrong[at] = count
    wrong[tree.place[tree.parent[node]]] = FORBIDDEN
    for at in range(tree.place[node], tree.end[node]):
        wrong[at] = FORBIDDEN
    least = wrong[0]
    for at in range(len(tree.order)):
        least = min(least, wrong[at])
    return int(least)


@compiled
def price_edges(tree: PreorderTree, scratch: EdgeScratch, node: int, strength: float, beta: float) -> float:
    """Fills scratch.price with what the features and the answers cost on each edge; returns the least."""
    moved, size, square = tree.total[node], tree.size[node], tree.square[node]
    least = np.inf
    for at in range(len(tree.order)):
        edge = tree.order[at]
        before = 0.0 if at == 0 else scratch.path[tree.place[tree.parent[edge]]]
        if scratch.wrong[at] == FORBIDDEN:
            scratch.path[at], scratch.price[at] = before, np.inf
            continue
        above = at < tree.place[node] < tree.end[edge]  # then the subtree is counted in already
        more, less = (0, -1) if above else (1, 0)
        here, apart, total = tree.size[edge], tree.square[edge], tree.total[edge]
        joined = before + feature_variance(here + more * size, apart + more * square, total, moved, more)
        scratch.path[at] = joined - feature_variance(here + less * size, apart + less * square, total, moved, less)
        scratch.price[at] = strength * joined + beta * scratch.wrong[at]
        least = min(least, scratch.price[at])
    return least


@compiled
def first_above(sums: Floats, value: float) -> int:
    """The first place at which rising sums exceed a value."""
    low, high = 0, len(sums) - 1
    for _ in range(64):  # bits of a place: each step halves what is left
        if low >= high:
            break
        middle = (low + high) // 2
        if sums[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def regraft(
    tree: PreorderTree, answers: TripletAnswers, scratch: EdgeScratch, node: int, strength: float, draw: float
) -> tuple[int, bool]:
    """One move of the subtree of `node`: the change in the number of wrong answers, and whether it moved."""
    mark_wrong(tree, answers, scratch.wrong, tree.place[node], tree.end[node])
    fewest, last, total = count_wrong(tree, scratch.wrong, node), len(answers.fading) - 1, 0.0
    least = price_edges(tree, scratch, node, strength, answers.beta) if strength > 0 else 0.0
    for at in range(len(tree.order)):
        if strength > 0:
            total += np.exp(least - scratch.price[at])
        else:
            total += answers.fading[min(scratch.wrong[at] - fewest, last)]
        scratch.sums[at] = total
    new, old = first_above(scratch.sums, draw * total), tree.place[sibling(tree, node)]
    more = scratch.wrong[new] - scratch.wrong[old]
    for at in range(len(scratch.wrong)):
        scratch.wrong[at] = 0
    if new != old:
        move_subtree(tree, node, tree.order[new])
    return more, new != old


@compiled
def choose_node(tree: PreorderTree, focus: Ints, state: Ints) -> int:
    """The node to cut: any but the root, or with a focus one of these items or of the nodes above it; -1 for none.

    The height of a node above an item of its own subtree does not change when the subtree moves, so climbing keeps the
    moves balanced.
    """
    if len(focus) == 0:
        return int(tree.order[1 + int(uniform(state) * (len(tree.order) - 1))])
    node = focus[int(uniform(state) * len(focus))]
    for _ in range(len(tree.parent)):
        if tree.parent[node] < 0 or uniform(state) >= CLIMB_PROBABILITY:
            break
        node = tree.parent[node]
    return int(node) if tree.parent[node] >= 0 else -1


def advance(
    chains: TreeChains, answers: TripletAnswers, prior: FeaturePrior, focus: Ints, focused: Ints, moves: Ints
) -> float:
    """`advance_chains` for a few chains at a time, so that Ctrl-C is heard; the share of moves that changed a tree."""
    changed, total = 0, int(focused.sum() + moves.sum())
    longest = int((focused + moves).max(initial=0)) * (chains.parents.shape[1] + len(answers.odd))
    nodes, (_, dimensions) = chains.parents.shape[1], prior.features.shape
    space, chances = tree_space(nodes, dimensions), np.zeros(len(prior.strengths))
    scratch = EdgeScratch(np.zeros(nodes + 1, dtype=np.int32), *np.zeros((3, nodes)))
    for some in portions(len(chains.parents), longest, MAX_VISITS_PER_CALL):
        part = TreeChains(*(values[some] for values in chains))
        changed += advance_chains(part, answers, prior, focus, focused[some], moves[some], space, scratch, chances)
    return changed / max(1, total)


@compiled
def advance_chains(
    chains: TreeChains,
    answers: TripletAnswers,
    prior: FeaturePrior,
    focus: Ints,
    focused: Ints,
    moves: Ints,
    space: TreeSpace,
    scratch: EdgeScratch,
    chances: Floats,
) -> int:
    """Moves every chain c, in place: focused[c] times around the items in focus, then moves[c] times anywhere, then it
    draws a new strength of the features. Returns how many moves changed a tree. `chances` (L,) is scratch."""
    parents, wrong, places, seeds = chains
    changed, anywhere = 0, focus[:0]
    for chain in range(len(parents)):
        if focused[chain] + moves[chain] == 0:
            continue
        tree = make_tree(parents[chain], space, prior.features)
        state = seeds[chain : chain + 1]
        for number in range(focused[chain] + moves[chain]):
            node = choose_node(tree, focus if number < focused[chain] else anywhere, state)
            if node >= 0:
                strength = prior.strengths[places[chain]]
                more, moved = regraft(tree, answers, scratch, node, strength, uniform(state))
                wrong[chain] += more
                changed += moved
        if len(prior.strengths) > 1:
            cost, most, total = feature_cost(tree), -np.inf, 0.0
            for level in range(len(chances)):
                chances[level] = prior.log_weights[level] - prior.strengths[level] * cost
                most = max(most, chances[level])
            for level in range(len(chances)):
                total += np.exp(chances[level] - most)
                chances[level] = total
            places[chain] = first_above(chances, uniform(state) * total)
    return changed
