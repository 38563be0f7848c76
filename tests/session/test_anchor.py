"""People measured against one who is right by definition: against the exact posterior, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.distances.labels import Disagreement
from askwise.errors import SettingError
from askwise.losses import logistic
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.contexts import context_prior
from askwise.posteriors.scores.kernels import INDIVIDUAL
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.problem import Problem
from askwise.session import reliability
from askwise.session.beliefs import Beliefs
from askwise.session.reliability import GRID, agreements, measure_against_anchor
from askwise.stopping.certificate import Estimate, certify
from askwise.structures.choice import ItemScores
from askwise.structures.contexts import ChoiceInContexts
from askwise.types import Answer

ITEMS, DRAWS = 3, 1_000_000
PAIRS = [(0, 1), (0, 2), (1, 2)]


def prior():
    return ShapedScores.prior(ItemScores(ITEMS), logistic, (INDIVIDUAL,), [np.eye(ITEMS)], np.ones(1))


def told(answers, anchor="ann", seed=0):
    beliefs = Beliefs(prior(), seed, anchor=anchor)
    for number, answer in enumerate(answers):
        beliefs = beliefs.tell(f"q{number}", answer)
    return beliefs


def some_answers(rng, wrong):
    """The anchor answers each pair twice and prefers the first of any two; others answer each pair six times."""
    found = [Answer(pair, 1, "ann") for pair in PAIRS for _ in range(2)]
    for who, share in wrong.items():
        found += [Answer(pair, -1 if rng.random() < share else 1, who) for pair in PAIRS for _ in range(6)]
    return found


def exact_log_posteriors(answers, rng):
    """(G,) for each judge: of strengths, by draws of the prior weighed by the likelihood of the anchor's answers, of
    which those count that give the anchor's answer."""
    weights = np.exp(prior().log_prior[0])
    scales = rng.choice(prior().scale_grid, DRAWS, p=weights / weights.sum())
    scores = rng.standard_normal((DRAWS, ITEMS)) * scales[:, None]
    lapses, likelihood = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS), np.ones(DRAWS)
    for (i, j), response, who, _ in answers:
        if who == "ann":
            likelihood *= (1 - lapses) / (1 + np.exp(-response * (scores[:, i] - scores[:, j]))) + lapses / 2
    kept = rng.choice(DRAWS, 100_000, p=likelihood / likelihood.sum())
    found = {}
    for (i, j), response, who, _ in answers:
        difference = scores[kept, i] - scores[kept, j]
        right = difference[difference > 0]  # the anchor prefers the first of any two
        chances = np.array([(1 / (1 + np.exp(-strength * response * right))).mean() for strength in GRID])
        found[who] = found.get(who, np.log(GRID)) + np.log(chances)
    return found


def test_strengths_are_those_of_the_exact_posterior(monkeypatch):
    """What is flat near its top has no exact place: the strength found is as likely as the likeliest one, almost."""
    monkeypatch.setattr(reliability, "ANCHOR_DRAWS", 10_000)
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    rng = np.random.default_rng(0)
    answers = some_answers(rng, {"good": 0.15, "fair": 0.3, "guess": 0.5})
    anchored = prior().update_all([answer for answer in answers if answer.who == "ann"], rng)
    found, exact = measure_against_anchor(anchored, answers, "ann", rng), exact_log_posteriors(answers, rng)
    assert found["ann"] == 1.0
    for who in ("good", "fair", "guess"):
        lost = exact[who].max() - exact[who][np.abs(GRID - found[who]).argmin()]
        assert lost < 0.02, (who, found[who], GRID[exact[who].argmax()])
        assert np.ptp(exact[who]) > 1.0, "which says nothing where all strengths are as likely"
    assert found["good"] > found["guess"]


def test_judges_who_agree_with_each_other_cannot_outvote_the_anchor():
    """Two judges prefer what the anchor does not, thirty times; without an anchor, the anchor would be the odd one."""
    against = [Answer(pair, -1, who) for _ in range(5) for pair in PAIRS for who in ("one", "two")]
    answers = [Answer(pair, 1, "ann") for _ in range(2) for pair in PAIRS] + against
    anchored, equal = told(answers), told(answers, anchor=None)
    assert max(anchored.reliability[who] for who in ("one", "two")) < 0.1
    assert equal.reliability["ann"] < 0.5 < equal.reliability["one"]
    scores = anchored.posterior.sample(2000, np.random.default_rng(0)).structures
    assert (scores.argmax(axis=1) == 0).mean() > 0.7


def test_who_agrees_in_half_of_the_questions_is_hardly_trusted():
    """Also where the anchor answers each question once, and questions have little to do with each other."""
    family, rng = ChoiceInContexts([str(context) for context in range(20)], 2), np.random.default_rng(4)
    before = context_prior(family, logistic, 20, np.zeros((2, 0)), [INDIVIDUAL], np.ones(1))
    right = [Answer((context, 0, 1), 1 - 2 * (context % 2), "ann") for context in range(20)]
    anchored = before.update_all(right, rng)
    for agreed, low, high in ((10, 0.0, 0.3), (20, 0.8, 1.0)):
        said = [
            one._replace(who="bot", response=one.response * (1 if c < agreed else -1)) for c, one in enumerate(right)
        ]
        assert low <= measure_against_anchor(anchored, [*right, *said], "ann", rng)["bot"] <= high
        assert agreements([*right, *said], "ann") == {"bot": (agreed, 20)}


def test_who_shares_no_question_with_the_anchor_counts_in_full():
    answers = [Answer((0, 1), 1, "ann"), *[Answer((1, 2), 1, "bot")] * 5]
    assert told(answers).reliability == {"ann": 1.0, "bot": 1.0}
    assert agreements(answers, "ann") == {"bot": (0, 0)}


def test_the_order_of_answers_and_an_undo_leave_the_same_measure():
    answers = some_answers(np.random.default_rng(3), {"fair": 0.3})
    beliefs = told(answers)
    again = beliefs.tell("more", Answer((0, 1), -1, "ann")).undo("more")
    assert again.reliability == beliefs.reliability


def test_an_answer_that_might_have_come_leaves_the_same_measure():
    """As when rounds are prepared for each answer of the anchor: they follow from the same beliefs."""
    before, after = (told(some_answers(np.random.default_rng(3), {"fair": 0.3})) for _ in range(2))
    alone = before.tell("more", Answer((0, 1), 1, "ann"))
    after.tell("more", Answer((0, 1), -1, "ann"))
    again = after.tell("more", Answer((0, 1), 1, "ann"))
    (one,), (other,) = (beliefs.anchored.values() for beliefs in (alone, again))
    draws = [each.sample(100, np.random.default_rng(0)).structures for each in (one, other)]
    np.testing.assert_array_equal(*draws)
    assert again.reliability == alone.reliability


def test_a_judge_with_a_taste_of_their_own_fits_the_model():
    """The judge prefers the second of two items in all contexts, and the anchor the first: no reason for a warning."""
    family, rng = ChoiceInContexts([str(context) for context in range(24)], 2, judges=1), np.random.default_rng(5)
    before = context_prior(family, logistic, 24, np.zeros((2, 0)), [INDIVIDUAL], np.ones(1), anchor="ann")
    answers = [Answer((context, 0, 1), 1, "ann") for context in range(8)]
    answers += [Answer((context, 0, 1), -1, "bot") for context in range(24)]
    posterior, problem = (
        before.update_all(answers, rng),
        Problem(family, Disagreement(family, np.zeros((1, 3), dtype=int))),
    )
    found = certify(problem, posterior, Estimate("first", np.zeros(family.dimension), 0.0), answers, rng)
    assert min(found.fit, found.held_out) > 0.05
    assert found.warning is None


def test_a_study_keeps_its_anchor(tmp_path):
    session = askwise.ranking(["tea", "coffee", "water"], anchor="Ann", seed=1)
    names = session.problem.family.names
    for first, second in PAIRS * 2:
        session.tell(names[first], session.pose((first, second)), who="Ann")
        session.tell(names[second], session.pose((first, second)), who="bot")
    assert session.people["Ann"] == 1.0
    assert session.people["bot"] < 0.3
    askwise.save(session, tmp_path / "drinks.askwise")
    assert askwise.open(tmp_path / "drinks.askwise").people == session.people
    assert askwise.from_json(session.to_json()).people == session.people


def test_an_anchor_is_refused_where_it_means_nothing():
    with pytest.raises(SettingError, match="anchor is for people who answer for one truth"):
        askwise.group_item(["tea", "coffee"], ["Ann", "Ben"], anchor="Ann")
    with pytest.raises(SettingError, match="anchor is 3; expected the name of a person"):
        askwise.best_item(["tea", "coffee"], anchor=3)


def test_whom_to_ask_weighs_what_an_answer_tells_against_its_cost():
    session = askwise.ranking(["tea", "coffee", "water"], anchor="Ann", seed=1)
    names = session.problem.family.names
    for first, second in PAIRS:
        session.tell(names[first], session.pose((first, second)), who="Ann")
        session.tell(names[first], session.pose((first, second)), who="good")
        session.tell(names[second], session.pose((first, second)), who="bad")
    found = {one.who: one for one in session.whom({"Ann": 1.0, "good": 1.0, "bad": 1.0, "new": 1.0})}
    assert found["Ann"].gain == found["good"].gain == found["new"].gain > 2 * found["bad"].gain > 0
    best = float(np.max([event["gain"] for event in session.round.best(session.event_log, 3)]))
    assert found["Ann"].gain == pytest.approx(best, rel=1e-3)
    ratio = found["Ann"].gain / found["bad"].gain
    for cost, first in ((1.1 * ratio, "bad"), (0.9 * ratio, "Ann")):
        assert session.whom({"Ann": cost, "bad": 1.0})[0].who == first
    for costs in ({"Ann": 0.0}, {"Ann": "much"}, {3: 1.0}, "Ann"):
        with pytest.raises(SettingError):
            session.whom(costs)
