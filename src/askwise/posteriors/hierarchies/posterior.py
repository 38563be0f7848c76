"""The posterior of binary hierarchies: warm chains of trees that are pruned and regrafted after every answer.

Before any answer all trees are equally likely or, where items have features, a tree has the density

    p(tree) = sum over strengths of p(strength) exp(-strength * cost(tree)) / Z(strength),

cost(tree) the sum over inner nodes of the variance of the features of the items below, in units of the variance of all.
The unbiased variance (divided by the number of items minus one) is the same on average at every node if the features
have nothing to do with the tree, so uninformative features favour no shape. The strength is learned with the tree; at
strength 0 the features do not matter. Z is measured once, by thermodynamic integration from strength 0. Its error only
tilts the prior weights of the strengths a little.

After an answer, trees that contradict it must find a place among those that fit. Some get stuck: with many answers it
takes thousands of moves to free them. But how many trees should get how many answers wrong is known: as many as before,
each tree weighed by the likelihood of the new answer. Surplus trees are replaced by copies of others, and the copies
move on until they are trees of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.errors import AnswerError, DataError
from askwise.losses import zero_one
from askwise.options import number, numbers, whole_number
from askwise.posteriors.chains import by_chain
from askwise.problem import noise_beta
from askwise.structures.hierarchies import Hierarchies, random_trees
from askwise.types import Answer, Bools, Floats, Ints, Sample

if TYPE_CHECKING:  # compiled code is loaded when the first tree moves
    from askwise.posteriors.hierarchies.prune_regraft import FeaturePrior, TripletAnswers

FEATURE_STRENGTHS = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0, 11.0, 15.0])
MAX_STRENGTH = 1e100  # beyond, the cost of a tree is not a number
CHAINS = 64
NOISELESS_BETA = 10.0  # for answers that are never wrong: chains must be able to pass through a wrong one
MOVES_PER_ITEM = 0.25  # anywhere in the tree, after an answer
MIN_MOVES = 10  # of these, for small trees: their few good ones may lie far apart
FOCUSED_MOVES = 6  # before that, around the three items of the answer
MIN_EXPECTED_SHARE = 1 / 64  # a surprised tree moves more by one over the share of trees that expected the answer
ALLOWED_STANDARD_ERRORS = 2.0  # by which trees with many wrong answers may exceed their number; 1 would be too few
COPY_MOVES_PER_ITEM = 1.0  # of a copy, times all chains over those that are not copies
ANNEALING_ROUNDS = 4  # of one move an item, at each strength
FULL_WEIGHT = 50  # of an answer trusted fully, where some are trusted less
MAX_LOG_FADING = 700.0  # exp(-700) is close to the smallest positive number


@dataclass(frozen=True)
class HierarchyPosterior:
    """Beliefs about a hierarchy: one tree a chain, under the 0-1 loss with a finite beta.

    >>> family = Hierarchies(4)
    >>> posterior = HierarchyPosterior.prior(family, beta=3.0)
    >>> rng = np.random.default_rng(0)
    >>> posterior = posterior.update(Answer((0, 1, 2), 2), rng)
    >>> draws = posterior.sample(64, rng)
    >>> draws.structures.shape, bool(family.predict(draws.structures, [[0, 1, 2]]).mean() > 1.5)
    ((64, 7), True)
    """

    loss = zero_one

    family: Hierarchies  # whose trees are possible
    beta: float  # what a wrong answer costs
    features: Floats  # (n, D), of variance 1; D = 0 without features
    strengths: Floats  # (L,) how much features may count
    log_weights: Floats  # (L,) log prior weight minus log normaliser
    trees: Ints  # (C, 2n - 1)
    wrong: Ints  # (C,) answers each tree gets wrong, by their weight
    places: Ints  # (C,) each chain's strength, as a place in the grid
    triples: Ints  # (T, 3) answered
    odd: Ints  # (T,) the item left out
    weight: Ints  # (T,) how far each answer is trusted: `full` is all the way
    full: int = 1  # the weight of an answer that is trusted all the way
    moved: float = 1.0  # share of the last moves that changed a tree
    expected: float = 1.0  # share of the chains that expected the last answer
    copied: float = 0.0  # share of the chains that got stuck after it and were replaced

    @staticmethod
    def prior(
        family: Hierarchies, beta: float, features: Any = None, chains: int = CHAINS, strength: float | None = None
    ) -> HierarchyPosterior:
        """Beliefs before any answer, held by `chains` chains; a wrong answer costs `beta`.

        Items may have `features` (n, D). `strength` fixes how much they count; None learns it.

        :param family: Whose trees are possible.
        :param beta: What a wrong answer costs.
        :param features: The features of the items, `(n, D)`; none by default.
        :param chains: How many chains hold the beliefs.
        :param strength: How much features count; None learns it.
        """
        beta = number("beta", beta, above=0)
        chains = whole_number("chains", chains, at_least=2)
        rows = _checked_features(features, family.count)
        learned = (
            FEATURE_STRENGTHS
            if strength is None
            else np.array([number("strength", strength, at_least=0, at_most=MAX_STRENGTH)])
        )
        grid = learned if rows.shape[1] else np.zeros(1)
        trees = random_trees(chains, family.count, stream(0, family.count, "trees"))
        nothing = np.zeros(len(trees), dtype=np.int64)
        empty = np.zeros((0, 3), dtype=np.int32)
        start = HierarchyPosterior(
            family, beta, rows, grid, np.zeros(len(grid)), trees, nothing, nothing.copy(), empty, *empty.T[:2]
        )
        return start._annealed(stream(0, family.count, "anneal")) if rows.shape[1] else start

    def update(self, answer: Answer, rng: Generator) -> HierarchyPosterior:
        """The beliefs after one more answer; trees that did not expect it move most."""
        triple, odd = self._checked(answer)
        surprised = self.family.answers(self.trees, triple[None])[:, 0] != int(answer.response)
        expected = 1.0 - float(surprised.mean())
        updated = replace(
            self,
            triples=np.concatenate([self.triples, triple[None]]),
            odd=np.append(self.odd, odd),
            weight=np.append(self.weight, np.int32(self.full)),
            wrong=self.wrong + self.full * surprised,
            expected=expected,
        )
        # a tree that gives this answer is nearly a draw of the new posterior; the others have to find one
        effort = np.where(surprised, 1.0 / max(expected, MIN_EXPECTED_SHARE), 1.0)
        sweep = max(MOVES_PER_ITEM * self.family.count, MIN_MOVES)
        moved = updated.advanced(np.rint(sweep * effort), rng, triple, np.rint(FOCUSED_MOVES * effort))
        weights = np.exp(-self.beta * surprised)
        return moved._with_stuck_replaced(stuck_chains(updated.wrong, weights / weights.sum(), moved.wrong, rng), rng)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> HierarchyPosterior:
        """The same answers, each trusted by its strength (T,), rounded to a fiftieth: the chains move on."""
        weight = np.rint(FULL_WEIGHT * strengths).astype(np.int32)
        responses = [int(answer.response) for answer in answers]
        wrong = (self.family.answers(self.trees, self.triples) != responses) @ weight.astype(np.int64)
        updated = replace(self, weight=weight, full=FULL_WEIGHT, wrong=wrong)
        return updated.advanced(round(max(MOVES_PER_ITEM * self.family.count, MIN_MOVES)), rng)

    def sample(self, count: int, rng: Generator) -> Sample:
        """One draw a chain, as it is, in random order. If more draws are wanted than there are chains, all are fresh:
        the chains move on by a move an item each time, and the draws are sorted by chain."""
        chains = len(self.trees)
        if count <= chains:
            chosen = rng.permutation(chains)[:count]
            return Sample(self.trees[chosen], np.full(count, 1.0 / count), exact=False, chains=chosen)
        batches, at = [], self
        for _ in range(0, count, chains):
            at = at.advanced(self.family.count, rng)
            batches.append(at.trees)
        return by_chain(batches, count)

    def diagnostics(self) -> Mapping[str, float]:
        """How easily trees move, how many answers they get wrong, and how much the features count."""
        return {
            "answers": float(len(self.triples)),
            "chains": float(len(self.trees)),
            "copied": self.copied,
            "expected": self.expected,
            "moved": self.moved,
            "strength": float(self.strengths[self.places].mean()),
            "wrong": float(self.wrong.mean()) / self.full,
        }

    def log_prior(self, structures: Ints) -> Floats:
        """(S,): the log density of trees before any answer, up to a constant.

        :param structures: Trees, `(S, 2n - 1)`.
        """
        from askwise.posteriors.hierarchies.preorder_tree import feature_costs

        costs = feature_costs(np.ascontiguousarray(structures, dtype=np.int32), self.features)
        parts = self.log_weights - self.strengths * costs[:, None]
        top = parts.max(axis=1)
        return top + np.log(np.exp(parts - top[:, None]).sum(axis=1))

    def advanced(
        self, moves: int | Floats, rng: Generator, focus: Ints | None = None, focused: int | Floats = 0
    ) -> HierarchyPosterior:
        """The chains after `moves` of each or all; before these, `focused` moves around the items in `focus`.

        :param moves: How many moves each chain makes, one number or one for each.
        :param rng: The generator of the moves.
        :param focus: The items around which chains move first.
        :param focused: How many of these moves each chain makes.
        """
        from askwise.posteriors.hierarchies.prune_regraft import TreeChains, advance

        trees, wrong, places = self.trees.copy(), self.wrong.copy(), self.places.copy()
        seeds = rng.integers(2**64, size=len(trees), dtype=np.uint64)
        around = np.zeros(0, dtype=np.int32) if focus is None else np.asarray(focus, dtype=np.int32)
        efforts = [np.broadcast_to(count, len(trees)).astype(np.int64) for count in (focused, moves)]
        chains = TreeChains(trees, wrong, places, seeds)
        moved = advance(chains, self._answers(), self._feature_prior(), around, *efforts)
        return replace(self, trees=trees, wrong=wrong, places=places, moved=float(moved))

    def _with_stuck_replaced(self, stuck: Bools, rng: Generator) -> HierarchyPosterior:
        """The same beliefs, each stuck tree replaced by a copy of one that is not, moved on."""
        free = np.flatnonzero(~stuck)
        if not 0 < len(free) < len(stuck):
            return replace(self, copied=0.0)
        origin = np.arange(len(stuck))
        origin[stuck] = np.resize(rng.permutation(free), len(stuck) - len(free))
        copies = replace(self, trees=self.trees[origin], wrong=self.wrong[origin], places=self.places[origin])
        moves = np.rint(COPY_MOVES_PER_ITEM * self.family.count * len(stuck) / len(free))
        return replace(copies.advanced(stuck * moves, rng), moved=self.moved, copied=float(stuck.mean()))

    def _answers(self) -> TripletAnswers:
        from askwise.posteriors.hierarchies.prune_regraft import TripletAnswers

        items = self.triples.ravel()
        by_item = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[by_item], np.arange(self.family.count + 1)).astype(np.int32)
        others = self.triples[:, [[1, 2], [0, 2], [0, 1]]].reshape(-1, 2)[by_item]
        beta, most = self.beta / self.full, int(self.weight.sum())
        fading = np.exp(-beta * np.arange(min(most + 2, 2 + int(MAX_LOG_FADING / beta))))
        fading[-1] = 0.0  # what is cut off has no chance, and no tree gets more answers wrong than there are
        odd, weight = (values[by_item // 3].astype(np.int32) for values in (self.odd, self.weight))
        return TripletAnswers(starts, others.astype(np.int32), odd, weight, beta, fading)

    def _feature_prior(self) -> FeaturePrior:
        from askwise.posteriors.hierarchies.prune_regraft import FeaturePrior

        return FeaturePrior(self.features, self.strengths, self.log_weights)

    def _annealed(self, rng: Generator) -> HierarchyPosterior:
        """The chains as draws of the prior with features, and the normalisers of its strengths."""
        from askwise.posteriors.hierarchies.preorder_tree import feature_costs

        grid = np.concatenate([[0.0], self.strengths]) if self.strengths[0] else self.strengths
        at, kept, costs = self, [], []
        for strength in grid:
            at = replace(at, strengths=np.array([strength]), log_weights=np.zeros(1))
            found = []
            for _ in range(ANNEALING_ROUNDS):
                at = at.advanced(self.family.count, rng)
                found.append(feature_costs(at.trees, self.features).mean())
            kept.append(at.trees)
            costs.append(np.mean(found[1:]))
        steps = np.diff(grid) * (np.array(costs[1:]) + np.array(costs[:-1])) / 2
        log_normaliser = -np.concatenate([[0.0], np.cumsum(steps)])[-len(self.strengths) :]  # d log Z = -E[cost]
        places = rng.integers(len(self.strengths), size=len(self.trees))
        trees = np.stack(kept)[places + len(grid) - len(self.strengths), np.arange(len(places))]
        return replace(self, trees=trees, places=places, log_weights=-log_normaliser)

    def _checked(self, answer: Answer) -> tuple[Ints, int]:
        atom = np.asarray(answer.atom)
        fits = atom.shape == (3,) and atom.dtype.kind in "iu" and len(set(atom.tolist())) == 3
        if not fits or atom.min() < 0 or atom.max() >= self.family.count:
            raise AnswerError(
                f"a question about a hierarchy is three different items from 0 to {self.family.count - 1}, "
                f"got {answer.atom!r}"
            )
        if answer.response not in (0, 1, 2):
            raise AnswerError(f"the response is the place 0, 1 or 2 of the item left out, got {answer.response!r}")
        return atom.astype(np.int32), int(atom[int(answer.response)])


def answer_beta(noise: float) -> float:
    """The beta for a share `noise` of wrong answers to triples, finite even for none.

    >>> answer_beta(0.0), round(answer_beta(0.1), 4)
    (10.0, 2.8904)
    """
    return min(NOISELESS_BETA, noise_beta(noise, responses=3))


def stuck_chains(before: Ints, weights: Floats, after: Ints, rng: Generator) -> Bools:
    """(C,): which chains are surplus: the posterior has fewer trees with that many wrong answers.

    The posterior's numbers of wrong answers are those of the trees `before` they moved, with these `weights`. Of the
    numbers `after`, no more may reach a level than that says, give or take two standard errors.

    >>> before, weights = np.array([0, 0, 1, 1]), np.array([0.5, 0.5, 0.0, 0.0])
    >>> stuck_chains(before, weights, np.array([0, 0, 1, 0]), np.random.default_rng(0))
    array([False, False,  True, False])
    """
    count = len(after)
    order = np.lexsort((rng.random(count), -after))  # the most wrong first
    share = np.clip((before >= after[order][:, None]) @ weights, 0.0, 1.0)
    room = np.floor(count * share + ALLOWED_STANDARD_ERRORS * np.sqrt(count * share * (1.0 - share)))
    over = np.minimum.accumulate(np.minimum(room - np.arange(1, count + 1), 0.0))
    stuck = np.empty(count, dtype=bool)
    stuck[order] = np.diff(over, prepend=0.0) < 0
    return stuck


def _checked_features(features: Any, count: int) -> Floats:
    """(n, D) centred, the variance of all together 1."""
    rows: Floats = np.zeros((count, 0)) if features is None else numbers("features", features, "rows of numbers")
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
        raise DataError(f"features must be {count} rows of finite numbers, one an item; got shape {rows.shape}")
    rows = rows - rows.mean(axis=0)
    variance = float((rows**2).sum() / (count - 1))
    if variance == 0:
        return np.zeros((count, 0))
    return np.ascontiguousarray(rows / np.sqrt(variance))
