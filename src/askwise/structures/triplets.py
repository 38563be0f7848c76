"""Compiled: which of three leaves a binary tree leaves out. Loaded when the first tree is asked."""

from __future__ import annotations

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise.types import Ints

compiled = machine_code(_nrt=False)


def scratch_space(trees: Ints) -> tuple[Ints, Ints]:
    """Scratch space for functions of these trees (S, 2n - 1): (8, 2n - 1) of the nodes and (n, n) of the leaves."""
    nodes = trees.shape[1]
    return np.empty((8, nodes), dtype=np.int32), np.zeros(((nodes + 1) // 2,) * 2, dtype=np.int16)


@compiled
def fill_children(parent: Ints, left: Ints, right: Ints) -> int:
    """Fills the children (2n - 1,) of one tree from its parents; returns the root."""
    root = -1
    for node in range(len(parent)):
        left[node], right[node] = -1, -1
    for node in range(len(parent)):
        above = parent[node]
        if above < 0:
            root = node
        elif left[above] < 0:
            left[above] = node
        else:
            right[above] = node
    return root


@compiled
def fill_preorder(root: int, left: Ints, right: Ints, order: Ints, stack: Ints) -> int:
    """Fills `order` with the nodes from `root` down, parents first; returns how many there are."""
    stack[0], waiting, count = root, 1, 0
    for _ in range(len(order)):  # every node comes once
        if waiting == 0:
            break
        waiting -= 1
        node = stack[waiting]
        order[count] = node
        count += 1
        if left[node] >= 0:
            stack[waiting] = right[node]
            stack[waiting + 1] = left[node]
            waiting += 2
    return count


@compiled
def meeting_depths(parent: Ints, work: Ints, depths: Ints) -> None:
    """Fills depths (n, n): how far below the root two leaves of one tree meet; `work` is (8, 2n - 1)."""
    nodes = len(parent)
    leaves = (nodes + 1) // 2
    left, right, order, stack, depth, first, last = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    fill_preorder(fill_children(parent, left, right), left, right, order, stack)
    # leaves as the preorder meets them: those below a node stand together
    leaf_order, seen = work[7], 0
    for place in range(nodes):
        node = order[place]
        above = parent[node]
        depth[node] = 0 if above < 0 else depth[above] + 1
        if node < leaves:
            leaf_order[seen] = node
            first[node] = seen
            seen += 1
            last[node] = seen
    for place in range(nodes - 1, -1, -1):
        node = order[place]
        if node < leaves:
            continue
        first[node], last[node] = first[left[node]], last[right[node]]
        for i in range(first[left[node]], last[left[node]]):
            a = leaf_order[i]
            for j in range(first[right[node]], last[right[node]]):
                b = leaf_order[j]
                depths[a, b] = depths[b, a] = depth[node]


@compiled
def odd_ones_out(parents: Ints, triples: Ints, work: Ints, depths: Ints, result: Ints) -> None:
    """Fills result (S, A) with the place, 0, 1 or 2, of the leaf that joins last in each triple."""
    for s in range(len(parents)):
        meeting_depths(parents[s], work, depths)
        for a in range(len(triples)):
            i, j, k = triples[a, 0], triples[a, 1], triples[a, 2]
            first, middle = depths[i, j], depths[i, k]
            # in a binary tree one pair meets deeper than the other two, and those two meet at the same node
            result[s, a] = 2 if first > middle else 1 if middle > first else 0


@compiled
def pack_answers(depths: Ints, triples: Ints, low: Ints, high: Ints) -> None:
    """Fills low and high with the two bits of the answers of one tree to all triples, 64 to a word."""
    for word in range(len(low)):
        start, middle_left_out, last_left_out = 64 * word, np.uint64(0), np.uint64(0)
        for a in range(start, min(start + 64, len(triples))):
            i, bit = triples[a, 0], np.uint64(a - start)
            first, middle = depths[triples[a, 1], i], depths[triples[a, 2], i]
            middle_left_out |= np.uint64(middle > first) << bit
            last_left_out |= np.uint64(first > middle) << bit
        low[word], high[word] = middle_left_out, last_left_out


@compiled
def count_differing(parents: Ints, triples: Ints, work: Ints, depths: Ints, packed: Ints, counts: Ints) -> None:
    """Fills counts (S, S): on how many triples two trees leave out a different leaf.

    An answer is two bits; 64 answers are compared at once, for all triples of 50 items twenty times faster than a
    matrix product. `packed` (2, S, words) takes the bits.
    """
    low, high, words = packed[0], packed[1], packed.shape[2]
    for s in range(len(parents)):
        meeting_depths(parents[s], work, depths)
        pack_answers(depths, triples, low[s], high[s])
    for s in range(len(parents)):
        for t in range(s):
            total = np.uint64(0)
            for word in range(words):
                bits = (low[s, word] ^ low[t, word]) | (high[s, word] ^ high[t, word])
                # the ones among 64 bits, counted in pairs, fours, bytes, and summed by a product
                bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
                bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
                bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
                total += (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)
            counts[s, t] = counts[t, s] = total
