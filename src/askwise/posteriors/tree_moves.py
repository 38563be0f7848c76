"""Compiled: subtree-prune-regraft moves on binary trees, with the new place drawn from its exact conditional.

A move cuts off the subtree of a node and puts it back on any edge of what is left, the edge above the root included.
For all edges at once the change of the posterior follows from one pass over the tree's line of nodes:

- An answered triple depends on the edge only if exactly one of its items, x, is cut off. With a, b the other two and c
  the node where these meet: x joins a on the edges inside c's branch towards a, joins b inside the other, and is left
  out anywhere else. A branch is a stretch of the line, so a triple adds to the cost of one stretch.
- The features' cost changes only at the node the subtree is put on and at the nodes above it.

Drawing the edge with these probabilities needs no rejection, and the tree is touched only if the subtree moves. The
node to cut is chosen with a chance that does not depend on where its subtree hangs, so every move leaves the posterior
as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.compiled import portions
from askwise.posteriors.tree_surgery import Tree, beside, empty_tree, feature_cost, line_up, move, spread
from askwise.structures.tree_answers import compiled, inlined
from askwise.types import Floats, Ints

CLIMB = 0.5  # of the chance that a move that starts at an item cuts one level higher
VISITS_A_CALL = 10_000_000  # to nodes and answers: .1 s or less
NEVER = 1 << 29  # more wrong answers than there can be


class Evidence(NamedTuple):
    """The answers so far, three times: listed by each of their items."""

    starts: Ints  # (n + 1,) where each item's answers begin
    others: Ints  # (3T, 2) the other two items
    odd: Ints  # (3T,) the item left out
    weight: Ints  # (3T,) for how many a wrong answer counts
    beta: float  # what it costs for each
    fading: Floats  # exp(-beta k) for k = 0, 1, ..., down to nothing


class Beliefs(NamedTuple):
    """The features and how strongly they speak, on a grid of strengths."""

    features: Floats  # (n, D), D = 0: every tree is equally likely
    strengths: Floats  # (L,)
    log_weights: Floats  # (L,) log prior weight minus log normaliser of each


class Work(NamedTuple):
    """Scratch by place in line, so that a move allocates nothing."""

    wrong: Ints  # (2n,) by how much the wrong answers differ from the place before, between moves 0; then how many
    path: Floats  # what the features cost more at the nodes down to this one
    price: Floats  # what the features and the answers cost on each edge
    sums: Floats  # of the chances of the edges so far, not normalised


@inlined
def uniform(state: Ints) -> float:
    """A number in [0, 1) from the chain's own SplitMix64 generator, so that results depend on no thread or order."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * 1.1102230246251565e-16


@compiled
def mark_wrong(tree: Tree, evidence: Evidence, wrong: Ints, first: int, last: int) -> None:
    """Marks the stretches of the line where an answer about one of the items from `first` to `last` costs more or less
    than it does outside both branches."""
    for at in range(first, last):
        item = tree.line[at]
        if item >= len(evidence.starts) - 1:
            continue
        for row in range(evidence.starts[item], evidence.starts[item + 1]):
            one, two = evidence.others[row, 0], evidence.others[row, 1]
            if first <= tree.place[one] < last or first <= tree.place[two] < last:
                continue
            if tree.place[one] > tree.place[two]:
                one, two = two, one
            branch, meet, target = one, tree.parent[one], tree.place[two]
            for _ in range(len(tree.parent)):  # no way up is longer than the tree has nodes
                if tree.end[meet] > target:
                    break
                branch, meet = meet, tree.parent[meet]
            weight = evidence.weight[row]
            if evidence.odd[row] == item:
                wrong[tree.place[branch]] += weight
                wrong[tree.end[meet]] -= weight
            elif evidence.odd[row] == two:
                wrong[tree.place[branch]] -= weight
                wrong[tree.end[branch]] += weight
            else:
                wrong[tree.end[branch]] -= weight
                wrong[tree.end[meet]] += weight


@compiled
def count_wrong(tree: Tree, wrong: Ints, node: int) -> int:
    """Sums the marks along the line, NEVER for what is cut off; returns the least there is."""
    count = 0
    for at in range(len(tree.line)):
        count += wrong[at]
        wrong[at] = count
    wrong[tree.place[tree.parent[node]]] = NEVER
    wrong[tree.place[node] : tree.end[node]] = NEVER
    least = wrong[0]
    for at in range(len(tree.line)):
        least = min(least, wrong[at])
    return int(least)


@compiled
def price_edges(tree: Tree, work: Work, node: int, strength: float, beta: float) -> float:
    """Fills work.price with what the features and the answers cost on each edge; returns the least there is."""
    moved, size, square = tree.total[node], tree.size[node], tree.square[node]
    least = np.inf
    for at in range(len(tree.line)):
        edge = tree.line[at]
        before = 0.0 if at == 0 else work.path[tree.place[tree.parent[edge]]]
        if work.wrong[at] == NEVER:
            work.path[at], work.price[at] = before, np.inf
            continue
        above = at < tree.place[node] < tree.end[edge]  # then the subtree is counted in already
        more, less = (0, -1) if above else (1, 0)
        here, apart, total = tree.size[edge], tree.square[edge], tree.total[edge]
        joined = before + spread(here + more * size, apart + more * square, total, moved, more)
        work.path[at] = joined - spread(here + less * size, apart + less * square, total, moved, less)
        work.price[at] = strength * joined + beta * work.wrong[at]
        least = min(least, work.price[at])
    return least


@inlined
def first_above(sums: Floats, value: float) -> int:
    """The first place of rising sums that is above a value."""
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
def regraft(tree: Tree, evidence: Evidence, work: Work, node: int, strength: float, draw: float) -> tuple[int, bool]:
    """One move of the subtree of `node`: the change in the number of wrong answers, and whether it moved."""
    mark_wrong(tree, evidence, work.wrong, tree.place[node], tree.end[node])
    fewest, last, total = count_wrong(tree, work.wrong, node), len(evidence.fading) - 1, 0.0
    least = price_edges(tree, work, node, strength, evidence.beta) if strength > 0 else 0.0
    for at in range(len(tree.line)):
        if strength > 0:
            total += np.exp(least - work.price[at])
        else:
            total += evidence.fading[min(work.wrong[at] - fewest, last)]
        work.sums[at] = total
    new, old = first_above(work.sums, draw * total), tree.place[beside(tree, node)]
    more = work.wrong[new] - work.wrong[old]
    work.wrong[:] = 0
    if new != old:
        move(tree, node, tree.line[new])
    return more, new != old


@compiled
def chosen(tree: Tree, focus: Ints, state: Ints) -> int:
    """The node to cut: any but the root, or with a focus one of these items or of the nodes above it; -1 for none.

    How far a node is above an item inside its own subtree does not change when the subtree moves, so going up keeps the
    balance of the moves.
    """
    if len(focus) == 0:
        return int(tree.line[1 + int(uniform(state) * (len(tree.line) - 1))])
    node = focus[int(uniform(state) * len(focus))]
    for _ in range(len(tree.parent)):
        if tree.parent[node] < 0 or uniform(state) >= CLIMB:
            break
        node = tree.parent[node]
    return int(node) if tree.parent[node] >= 0 else -1


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
    """`advance_chains` a few chains at a time, so that Ctrl-C is heard; the share of moves that changed a tree."""
    changed, total = 0, int(focused.sum() + moves.sum())
    longest = int((focused + moves).max(initial=0)) * (parents.shape[1] + len(evidence.odd))
    for some in portions(len(parents), longest, VISITS_A_CALL):
        chains = parents[some], wrong[some], places[some], seeds[some]
        changed += advance_chains(*chains, evidence, beliefs, focus, focused[some], moves[some])
    return changed / max(1, total)


@compiled
def advance_chains(
    parents: Ints,
    wrong: Ints,
    places: Ints,
    seeds: Ints,
    evidence: Evidence,
    beliefs: Beliefs,
    focus: Ints,
    focused: Ints,
    moves: Ints,
) -> int:
    """Moves every chain c, in place: focused[c] times around the items in focus, then moves[c] times anywhere, then a
    new strength of the features. Returns how many moves changed a tree."""
    nodes = parents.shape[1]
    path, price, sums = np.zeros((3, nodes))
    work = Work(np.zeros(nodes + 1, dtype=np.int32), path, price, sums)
    changed, anywhere = 0, focus[:0]
    for chain in range(len(parents)):
        if focused[chain] + moves[chain] == 0:
            continue
        tree = empty_tree(parents[chain], beliefs.features.shape[1])
        line_up(tree, beliefs.features)
        state = seeds[chain : chain + 1]
        for turn in range(focused[chain] + moves[chain]):
            node = chosen(tree, focus if turn < focused[chain] else anywhere, state)
            if node >= 0:
                strength = beliefs.strengths[places[chain]]
                more, moved = regraft(tree, evidence, work, node, strength, uniform(state))
                wrong[chain] += more
                changed += moved
        if len(beliefs.strengths) > 1:
            logs = beliefs.log_weights - beliefs.strengths * feature_cost(tree)
            chances = np.exp(logs - logs.max()).cumsum()
            places[chain] = first_above(chances, uniform(state) * chances[-1])
    return changed
