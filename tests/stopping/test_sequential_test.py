"""Stopping: both promises over many simulated runs, with real sampling; the pair counts; the gate; what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, inf, log, nan

import numpy as np
import pytest

from askwise.distances import TableDistance
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.chains import by_chain
from askwise.posteriors.enumerated import MAX_EXACT_STRUCTURES, Enumerated
from askwise.problem import Problem
from askwise.stopping import DiameterBelow
from askwise.stopping.sequential_test import FUTILITY_STANDARD_ERRORS, log_wealth, pair_distances
from askwise.structures.finite import Finite
from askwise.types import Sample
from tests.helpers import SampledPosterior, generator

EPSILON, DELTA = 0.2, 0.2
SIZE = 40
FAMILY = Finite(np.arange(SIZE)[:, None] % 2)
PROBLEM = Problem(FAMILY, TableDistance(1.0 - np.eye(SIZE)), zero_one, inf)


def believing(diameter):
    """A posterior with this average diameter under the 0-1 distance: one structure with mass 1 - x, the rest alike."""
    rest = SIZE - 1
    low, high = 0.0, rest / SIZE
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if 1 - (1 - x) ** 2 - x**2 / rest < diameter else (low, x)
    return SampledPosterior(np.append(1 - x, np.full(rest, x / rest)))


class Chained(SampledPosterior):
    """64 chains; at each step one stays where it is with probability `stay`, else it goes anywhere."""

    stay = 0.0

    def __init__(self, weights, rng=None):
        super().__init__(weights)
        self.standing = (rng or generator(215)).choice(len(self.weights), 64, p=self.weights)

    def sample(self, count, rng):
        at, batches = self.standing, []
        for _ in range(0, count, 64):
            moved = rng.choice(len(self.weights), 64, p=self.weights)
            at = np.where(rng.random(64) < self.stay, at, moved)
            batches.append(at)
        return by_chain(batches, count)


def standing(structure):
    """600 chains that all stand here: draws at hand that say nothing, and are not counted."""
    return Sample(np.full(600, structure), np.full(600, 1 / 600), exact=False, chains=np.arange(600))


def breaks(rule, draws, run, drawn=SampledPosterior, rounds=12):
    """One run: the diameter stays just above epsilon, then is half of it for a while (were the questions to go on).
    Did it stop too soon, or fail to stop in some round?"""
    above, below = (drawn(believing(share * EPSILON).weights) for share in (1.02, 0.49))
    for turn in range(1, rounds + 1):
        rng = generator(200, run, turn)
        if rule(PROBLEM, above, above.sample(draws, rng), turn - 1, turn, rng) is not None:
            return True
    for turn in range(rounds + 1, rounds + 9):
        rng = generator(201, run, turn)
        if rule(PROBLEM, below, below.sample(draws, rng), turn - 1, turn, rng) is None:
            return True
    return False


@dataclass(frozen=True)
class Hasty(DiameterBelow):
    """Far too few pairs: what the test below must notice."""

    def pairs(self, round):
        return super().pairs(round) // 48


@pytest.mark.parametrize(
    ("draws", "drawn"), [(2, SampledPosterior), (10, SampledPosterior), (600, SampledPosterior), (64, Chained)]
)
def test_both_promises_at_the_stated_rate(draws, drawn):
    """Also with few draws at hand, where the gate that saves work knows little."""
    runs = 200
    broken = sum(breaks(DiameterBelow(EPSILON, DELTA), draws, run, drawn) for run in range(runs))
    assert broken <= DELTA * runs


def test_draws_at_hand_are_the_first_of_a_test():
    """Where all agree and they are enough, nothing is drawn; chains, which may stand still, are drawn from."""
    rule, chains = DiameterBelow(EPSILON, DELTA), standing(0)
    posteriors = [Recording(believing(0.01).weights) for _ in range(2)]
    for posterior, alike in zip(posteriors, (chains._replace(chains=None), chains), strict=True):
        assert rule(PROBLEM, posterior, alike, 0, 1, generator(212))
    assert [len(posterior.counts) for posterior in posteriors] == [0, 1]


def test_too_few_pairs_would_break_them():
    runs = 100
    assert sum(breaks(Hasty(EPSILON, DELTA), 600, run) for run in range(runs)) > DELTA * runs


def test_the_gate_only_saves_work():
    """It may only say no where the full test would, but for one run in a thousand."""
    rule, wrong, spared = DiameterBelow(EPSILON, DELTA), 0, 0
    for run in range(300):
        posterior = believing([0.49, 0.8, 2.0][run % 3] * EPSILON)
        drawn = []

        class Counting(SampledPosterior):
            def sample(self, count, rng, drawn=drawn):
                drawn.append(count)
                return super().sample(count, rng)

        rng = generator(202, run)
        sample = posterior.sample(600, rng)._replace(chains=np.arange(600))  # looked at, not counted
        gated = rule(PROBLEM, Counting(posterior.weights), sample, 0, 5, rng)
        assert sum(drawn) <= 2 * rule.pairs(5)
        spared += not drawn
        full = pair_distances(PROBLEM, posterior.sample(2 * rule.pairs(5), generator(203, run))).values.mean()
        wrong += (gated is None and not drawn) and full <= 0.75 * EPSILON
    assert wrong == 0
    assert spared >= 90  # the hundred runs far above epsilon cost nothing


def test_blocks_decide_as_all_pairs_together_would(monkeypatch):
    """Bets look back only, so it does not matter how many pairs are drawn at a time."""
    monkeypatch.setattr("askwise.stopping.sequential_test.MAX_PAIRS_PER_DRAW", 300)
    rule, decided = DiameterBelow(EPSILON / 4, DELTA), set()
    for run in range(60):
        posterior, values, rng = believing(0.8 * EPSILON / 4), [], generator(207, run)
        recording = Recording(posterior.weights)
        stops = rule(PROBLEM, recording, standing(0), 0, 2, generator(207, run)) is not None
        for count in recording.counts:
            values.extend(pair_distances(PROBLEM, posterior.sample(count, rng)).values)
        assert stops == (log_wealth(np.array(values), EPSILON / 4) >= log(2 * 3 / DELTA)).any()
        assert max(recording.counts) <= 2 * 300
        decided.add(stops)
    assert decided == {True, False}


def test_a_bet_against_the_truth_hardly_ever_wins():
    """The wealth reaches 1 / delta with probability delta at most, whatever the values' distribution."""
    rng, level = generator(211), 0.2
    draws = {"coins": rng.random((800, 1500)) < level, "flat": rng.random((800, 1500)) * 2 * level}
    for values in draws.values():
        won = sum(log_wealth(row.astype(float), level).max() >= log(20) for row in values)
        assert won <= 800 * 0.05 + 3 * np.sqrt(800 * 0.05 * 0.95)


class Coins:
    """Each draw is the distance of the pair it comes first in: 1 with this chance, else 0."""

    def __init__(self, chance):
        self.chance = chance

    def sample(self, count, rng):
        return Sample((rng.random(count) < self.chance).astype(float), np.full(count, 1 / count), exact=False)


class FirstOfPair:
    def paired(self, left, right):
        return left

    def pairwise(self, structures):
        return np.zeros((len(structures),) * 2)


@pytest.mark.parametrize(("epsilon", "round"), [(0.05, 1), (0.05, 100), (0.2, 10)])
def test_a_round_at_half_of_epsilon_is_rarely_missed(epsilon, round):
    """Distances of 0 and 1 vary most. What is missed, in fewer than one round of a hundred, costs a question."""
    rule, problem, runs = DiameterBelow(epsilon), replace(PROBLEM, distance=FirstOfPair()), 1000
    stops = {0.5: 0, 1.0: 0}
    for share in stops:
        posterior = Coins(share * epsilon)
        for run in range(runs):
            rng = generator(220, run, round)
            stops[share] += rule(problem, posterior, posterior.sample(600, rng), 0, round, rng) is not None
    allowed = rule.delta / round / (round + 1) * runs
    assert stops[1.0] <= allowed + 3 * np.sqrt(allowed)
    assert runs - stops[0.5] <= 0.01 * runs + 3 * np.sqrt(0.01 * runs)


class Recording(SampledPosterior):
    """Records how many draws were taken at a time."""

    def __init__(self, weights):
        super().__init__(weights)
        self.counts = []

    def sample(self, count, rng):
        self.counts.append(count)
        return super().sample(count, rng)


def test_it_gives_up_when_fresh_pairs_rule_it_out():
    """At four times epsilon a few hundred pairs tell, long before the sum is too large."""
    rule, posterior = DiameterBelow(0.05, DELTA), Recording(believing(0.2).weights)
    assert rule(PROBLEM, posterior, standing(0), 0, 50, generator(208)) is None
    assert sum(posterior.counts) / 2 < 0.75 * 0.05 * rule.pairs(50) / 0.2 / 2


class Narrow:
    """Chains of draws that are distances between half and one and a half of their mean; counts them."""

    def __init__(self, mean):
        self.mean, self.drawn = mean, 0

    def sample(self, count, rng):
        self.drawn += count
        structures, chains = self.mean * rng.uniform(0.5, 1.5, count), np.arange(count) % 64
        return Sample(structures, np.full(count, 1 / count), exact=False, chains=chains)


@pytest.mark.parametrize(("share", "stops", "most"), [(0.5, True, 5000), (0.9, False, 600), (1.1, False, 300)])
def test_chains_are_drawn_from_only_where_few_draws_suffice(share, stops, most):
    """Distances that vary little tell soon; at nine tenths of epsilon tens of thousands of draws would be needed."""
    rule, problem = DiameterBelow(0.02), replace(PROBLEM, distance=FirstOfPair())
    for run in range(20):
        posterior, rng = Narrow(share * 0.02), generator(213, run)
        at_hand = Narrow(share * 0.02).sample(64, rng)
        assert (rule(problem, posterior, at_hand, 0, 100, rng) is not None) == stops
        assert posterior.drawn <= most


@pytest.mark.parametrize(("diameter", "rounds"), [(0.05, 200), (0.35, 200)])
def test_all_pairs_of_a_few_draws_rule_more_out(diameter, rounds):
    """64 draws: all 2,016 of their pairs rule more out than 32 disjoint ones, but never what would pass."""
    rule, by_halves, by_all = DiameterBelow(0.1, DELTA), 0, 0
    for run in range(rounds):
        posterior = Recording(believing(diameter).weights)
        sample = SampledPosterior(posterior.weights).sample(64, generator(209, run))._replace(chains=np.arange(64))
        rule(PROBLEM, posterior, sample, 0, 5, generator(210, run))
        by_halves += rule._futile(
            pair_distances(PROBLEM, sample), rule.pairs(5), log(5 * 6 / rule.delta), FUTILITY_STANDARD_ERRORS
        )
        by_all += not posterior.counts
    if diameter <= 0.05:
        assert by_all == 0
    else:
        assert by_all > max(0.5 * rounds, 1.5 * by_halves)


@pytest.mark.parametrize(("epsilon", "delta", "round"), [(0.1, 0.05, 100), (0.05, 0.05, 1), (0.3, 0.2, 7)])
def test_pairs(epsilon, delta, round):
    assert DiameterBelow(epsilon, delta).pairs(round) == ceil(48 / epsilon * log(round * (round + 1) / delta))
    assert DiameterBelow(0.1, 0.05).pairs(100) == 5864


def test_closeness_shrinks_epsilon_by_its_square():
    rule = DiameterBelow(0.4, DELTA, closeness=2.0)
    assert rule.target == pytest.approx(0.1)
    assert rule.pairs(3) == DiameterBelow(0.1, DELTA).pairs(3)


@pytest.mark.parametrize(("diameter", "stops"), [(0.19, True), (0.21, False)])
def test_exact_weights_need_no_sampling(diameter, stops):
    sample = Sample(np.arange(SIZE), believing(diameter).weights, exact=True)
    reason = DiameterBelow(EPSILON)(PROBLEM, None, sample, 0, 1, None)
    assert (reason == "undecided is below 0.2") if stops else reason is None


@pytest.mark.parametrize(("delta", "said"), [(0.05, "95 %"), (0.004, "99.6 %"), (1e-4, "99.99 %")])
def test_confidence_is_not_rounded_up(delta, said):
    rule, sure = DiameterBelow(EPSILON, delta), SampledPosterior(np.append(1.0, np.zeros(SIZE - 1)))
    reason = rule(PROBLEM, sure, sure.sample(600, generator(213)), 0, 1, generator(214))
    assert reason == f"undecided is below 0.2 with confidence {said}"


def test_large_finite_families_are_sampled_by_their_weights():
    """More pairs are wanted than there are structures: the test must still see draws, not a list of all."""
    size = MAX_EXACT_STRUCTURES + 1
    family = Finite(np.arange(size)[:, None] % 2)
    weights = np.append(np.full(size - 1, 0.4 / (size - 1)), 0.6)  # the diameter is .64

    class Sure:
        def paired(self, left, right):
            return (left != right).astype(float)

        def pairwise(self, structures):
            return (structures[:, None] != structures[None, :]).astype(float)

    problem = Problem(family, Sure(), zero_one, inf)
    prior = Enumerated.prior(family, np.arange(size), zero_one, inf, weights)
    rule = replace(DiameterBelow(1.0), delta=1e-30)
    assert 2 * rule.pairs(1) > size
    rng = generator(206)
    fresh = np.concatenate([prior.sample(2 * rule.pairs(1), rng).structures for _ in range(2)])
    assert abs((fresh == size - 1).mean() - 0.6) < 4 * 0.5 / np.sqrt(len(fresh))
    # a list of all structures, each once, has diameter 1
    assert rule(problem, prior, standing(size - 1), 0, 1, rng) is not None


class NoDraws(SampledPosterior):
    """A posterior that runs dry."""

    def sample(self, count, rng):
        return Sample(np.empty(0, dtype=int), np.empty(0), exact=False)


class NotANumber:
    """A distance that fails where nobody looked."""

    def paired(self, g, h):
        return np.full(len(g), nan)

    def pairwise(self, g, h):
        return np.full((len(g), len(h)), nan)


def test_what_cannot_be_measured_settles_nothing():
    rule, sure = DiameterBelow(0.2, 0.05), SampledPosterior(np.eye(SIZE)[0])
    few = Sample(np.zeros(4, dtype=int), np.full(4, 0.25), exact=False)
    assert rule(PROBLEM, sure, few, 0, 1, generator(1)) is not None
    assert rule(PROBLEM, NoDraws(np.eye(SIZE)[0]), few, 0, 1, generator(1)) is None
    assert rule(replace(PROBLEM, distance=NotANumber()), sure, few, 0, 1, generator(1)) is None


@pytest.mark.parametrize(
    "settings",
    [{"epsilon": e} for e in (0.0, -1.0, 1.5, nan)]
    + [{"epsilon": 0.1, "delta": d} for d in (0.0, 1.0, nan)]
    + [{"epsilon": 0.1, "closeness": c} for c in (0.5, nan)],
)
def test_refuses(settings):
    wrong = list(settings)[-1]
    with pytest.raises(SettingError, match=f"^{wrong} is .*; expected a number") as refused:
        DiameterBelow(**settings)
    assert not any(other in str(refused.value) for other in {"epsilon", "delta", "closeness"} - {wrong})
