"""Compiled: the filter along the line. Loaded when the first answer comes.

The nodes are the K values that some answer is about; no other value matters to the answers. The filter moves from node
to node. At each it holds, for every node s so far, the chance that s is the first node of the current segment. An
answer about nodes i < j is met at j: the two are together exactly if that first node is i or before. The evidence is
the product of the chances of all answers. Draws go back from the last node: if s is the first node of its segment, the
segment before ends at node s - 1, and does not depend on any answer that is met later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise._runtime.splitmix import uniform
from askwise.types import Bools, Floats, Ints

compiled = machine_code(_nrt=False)


@compiled
def filter_line(kept: Floats, begin: Ints, left: Ints, together: Floats, apart: Floats, begins: Floats) -> float:
    """The log evidence of T answers under independent cuts; minus infinity if they contradict each other.

    `kept` (K,) is the chance that no cut is between each node and the one before. The answers that end at node j are
    those from begin[j] to begin[j + 1]: `left` (T,) is their other node, and `together` and `apart` (T,) are their
    chances if the two are together or apart. Row j of `begins` (K, K) becomes the filter at node j, which sums to one;
    if it has one row, that row is used for all nodes.
    """
    nodes, rows = len(kept), len(begins)
    evidence = 0.0
    begins[0, 0] = 1.0
    for j in range(nodes):
        now = begins[min(j, rows - 1)]
        if j > 0:
            before = begins[min(j - 1, rows - 1)]
            for s in range(j):
                now[s] = before[s] * kept[j]
            now[j] = 1.0 - kept[j]
        for t in range(begin[j], begin[j + 1]):
            total = 0.0
            for s in range(j + 1):
                now[s] *= together[t] if s <= left[t] else apart[t]
                total += now[s]
            if total <= 0.0:
                return -np.inf
            evidence += np.log(total)
            for s in range(j + 1):
                now[s] /= total
    return evidence


@compiled
def draw_cuts(begins: Floats, nodes: Ints, chance: float, states: Any, cuts: Bools) -> None:
    """Fills `cuts` (S, G), all False: a draw a row, by a random `states` (S,) each; G gaps between values.

    `begins` (K, K) is the filter at each of the `nodes` (K,), which are values; `chance` is that of a cut in a gap.
    """
    gaps, log_kept = cuts.shape[1], np.log1p(-chance)
    for draw in range(len(cuts)):
        row, state = cuts[draw], states[draw : draw + 1]
        if len(nodes) == 0:
            fill(row, 0, gaps, 1.0, log_kept, state, False)
            continue
        fill(row, 0, nodes[0], 1.0, log_kept, state, False)
        fill(row, nodes[-1], gaps, 1.0, log_kept, state, False)
        last = len(nodes) - 1
        for _ in range(len(nodes)):
            level, first = uniform(state), last
            for begin in range(last):
                level -= begins[last, begin]
                if level < 0.0:
                    first = begin
                    break
            if first == 0:
                break
            low, high = nodes[first - 1], nodes[first]
            fill(row, low, high, -np.expm1((high - low) * log_kept), log_kept, state, True)
            last = first - 1


@compiled
def fill(row: Bools, low: int, high: int, mass: float, log_kept: float, state: Any, needed: bool) -> None:
    """Draws the cuts of the gaps from `low` to `high`. If one is `needed`, the first is drawn given that there is one,
    which has the chance `mass`; else `mass` is 1."""
    gap = low
    for _ in range(high - low):
        step = int(np.log1p(-uniform(state) * mass) / log_kept)  # gaps without a cut before the next one
        gap += min(step, high - low - 1) if needed else min(step, high - gap)
        if gap >= high:
            return
        row[gap] = True
        gap += 1
        mass, needed = 1.0, False
