"""What mattered: exact answers first, then what simulated people show."""

from itertools import pairwise
from time import process_time

import numpy as np
import pytest

import askwise
from askwise.data.encoding import encode
from askwise.errors import SettingError
from askwise.goals.base.additive import AdditiveFit, bend_chance, knot_rows, level_terms, numeric_terms
from askwise.goals.base.effect_charts import effect_charts, effect_sentences, with_effects
from askwise.goals.base.effects import FALSELY_CLEAR, label_effects, taste_effects
from askwise.structures.choice import Choice, ItemScores
from askwise.structures.linear import RowScores
from askwise.structures.multiclass import SoftmaxPool
from askwise.types import Sample
from benchmarks.effects import clear_shares

ROWS = 200


def numeric(values, count=5):
    return numeric_terms(values, values[knot_rows(values, count)])


def one(scores):
    """A posterior with these draws (S, N)."""
    scores = np.atleast_2d(scores)
    return Sample(scores, np.full(len(scores), 1 / len(scores)), exact=False)


def effects_of(table, scores, **options):
    items = encode(table, **options)
    family = ItemScores(len(items.names))
    found = taste_effects(family, table, items, seed=0)
    assert found is not None
    return found(one(scores))


def test_additive_scores_are_recovered_exactly():
    rng = np.random.default_rng(0)
    first, second, codes = rng.normal(size=ROWS), rng.uniform(5, 60, ROWS), rng.integers(0, 3, ROWS)
    places = knot_rows(first, 5), knot_rows(second, 5)
    planted = [rng.normal(size=(7, 5)), rng.normal(size=(7, 5)), rng.normal(size=(7, 3))]  # seven draws
    parts = [
        np.stack([np.interp(values, values[knots], heights) for heights in curve])
        for values, knots, curve in zip((first, second), places, planted[:2], strict=True)
    ]
    parts.append(planted[2][:, codes])
    fit = AdditiveFit([numeric(first), numeric(second), level_terms(codes, 3)], ridge=0.0)
    found = fit.apply(sum(parts))
    for curve, plant, part in zip(found.curves, planted, parts, strict=True):
        np.testing.assert_allclose(curve, plant - part.mean(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(fit.explained(found.explained_squares, found.total_squares), 1.0, atol=1e-9)


def test_the_fit_is_the_least_squares_solution():
    rng = np.random.default_rng(1)
    values, codes, scores = rng.normal(size=50), rng.integers(0, 4, 50), rng.normal(size=(3, 50))
    terms = [numeric(values), level_terms(codes, 4)]
    found = AdditiveFit(terms, ridge=0.0).apply(scores)
    design = np.hstack([np.ones((50, 1)), *(each.basis for each in terms)])
    solved = np.linalg.lstsq(design, scores.T, rcond=None)[0]
    residual = ((scores.T - design @ solved) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.total_squares - found.explained_squares, residual, rtol=1e-6)


def test_a_straight_line_never_bends_and_a_hat_always_does():
    values = np.linspace(0, 1, 40)
    terms = numeric(values)
    knots = values[knot_rows(values, 5)]
    weights = np.full(4, 0.25)
    slopes = np.array([[-2.0], [0.5], [1.0], [3.0]])
    assert bend_chance(slopes * knots, weights, terms.away_from_straight) == 0.0
    assert bend_chance(np.abs(slopes) * -np.abs(knots - 0.5), weights, terms.away_from_straight) == 1.0


def test_noise_around_a_line_is_not_called_a_bend():
    rng = np.random.default_rng(2)
    values = np.linspace(0, 1, 40)
    knots = values[knot_rows(values, 5)]
    curves = knots + 0.3 * rng.normal(size=(2000, 5))
    assert bend_chance(curves, np.full(2000, 1 / 2000), numeric(values).away_from_straight) < 0.5


@pytest.mark.parametrize("peak", [25.0, 30.0, 40.0])
def test_a_quadratic_peaks_in_the_right_place(peak):
    price = np.linspace(5, 60, ROWS)
    rng = np.random.default_rng(3)
    table = {"price": price.tolist(), "size": rng.normal(size=ROWS).tolist()}
    effect = effects_of(table, -((price - peak) ** 2) / 100 + 0.5 * np.array(table["size"]))["price"]
    assert effect.bends == 1.0
    assert effect.sentence.startswith("Best near ")
    step = max(np.diff([point.value for point in effect.points]))
    assert abs(float(effect.sentence[10:-1]) - peak) < step / 3
    top = max(effect.points, key=lambda point: point.middle).value
    assert abs(top - peak) <= step / 2 + 1e-9


def test_the_shares_of_additive_tastes_add_up_to_the_range():
    table = {"price": [0.0, 1.0, 0.0, 1.0] * 5, "size": [0.0, 0.0, 3.0, 3.0] * 5}
    found = effects_of(table, 3 * np.array(table["price"]) - np.array(table["size"]) / 3)
    assert [effect.name for effect in found] == ["price", "size"]
    assert found["price"].importance.middle == pytest.approx(0.75, abs=0.002)  # the ridge takes a thousandth
    assert found["size"].importance.middle == pytest.approx(0.25, abs=0.002)
    assert [effect.sentence for effect in found] == ["Higher is better.", "Lower is better."]
    assert found.explained.middle == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("heights", "sentence"),
    [
        (lambda x: np.minimum(x, 20), "Higher is better; beyond 20 it hardly matters."),
        (lambda x: -np.maximum(x, 20), "Lower is better; below 20 it hardly matters."),
        (lambda x: np.abs(x - 20), "Worst near 20."),
        (lambda x: x, "Higher is better."),
        (lambda x: 0 * x, "No clear effect."),
    ],
)
def test_sentences(heights, sentence):
    x = np.arange(41.0)
    rng = np.random.default_rng(4)
    table = {"x": x.tolist(), "other": rng.permutation(41).tolist()}
    other = 0.1 * np.array(table["other"]) if sentence == "No clear effect." else 0.0
    scores = heights(x) + other
    found = effects_of(table, scores)["x"]
    if sentence == "No clear effect.":
        draws = np.stack([scores + sign * 0.1 * x for sign in (-1, 1)])
        found = effects_of(table, draws)["x"]
    assert found.sentence == sentence


def test_levels_booleans_and_dates():
    table = {
        "kind": ["van", "car", "bus", "car"] * 5,
        "new": [True, False, False, True, True] * 4,
        "sold": [f"2026-01-{day + 1:02d}" for day in range(20)],
        "wheels": [4, 4, 6, 4] * 5,
    }
    scores = np.array([{"van": 0, "car": 2, "bus": 1}[kind] for kind in table["kind"]]) + 0.2 * np.array(table["new"])
    found = effects_of(table, scores + 0.01 * np.arange(20), features=["kind", "new", "sold"])
    assert found["kind"].sentence == "Best with car, worst with van."
    assert [point.value for point in found["kind"].points] == ["bus", "car", "van"]
    assert found["new"].sentence == "Best with yes, worst with no."
    assert found["sold"].points[0].value == "2026-01-01"
    assert found["sold"].points[-1].value == "2026-01-20"


def test_effects_of_columns_that_go_together_stay_small():
    rng = np.random.default_rng(5)
    first = rng.normal(size=60)
    table = {"one": first.tolist(), "twin": (first + 1e-4 * rng.normal(size=60)).tolist()}
    scores = first + 0.3 * rng.normal(size=(200, 60))  # each item's own appeal
    found = effects_of(table, scores)
    for effect in found:
        assert effect.importance.high < 1.0
    same = effects_of({"one": table["one"], "twin": table["one"]}, scores)
    assert same["one"].importance.middle == pytest.approx(same["twin"].importance.middle, rel=1e-6)  # shared evenly


def test_more_columns_than_rows():
    rng = np.random.default_rng(6)
    table = {f"c{place}": rng.normal(size=8).tolist() for place in range(20)}
    found = effects_of(table, rng.normal(size=(50, 8)))
    assert len(found) == 20
    assert found.explained is None
    assert all(np.isfinite(effect.importance).all() for effect in found)


def test_interactions_are_what_columns_do_not_explain():
    rng = np.random.default_rng(7)
    table = {"a": rng.choice([-1.0, 1.0], 400).tolist(), "b": rng.choice([-1.0, 1.0], 400).tolist()}
    product = np.array(table["a"]) * np.array(table["b"])
    assert effects_of(table, product).explained.middle < 0.05
    assert effects_of(table, product + np.array(table["a"])).explained.middle == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("scale", [1e-12, 1e12, 1e300])
def test_huge_and_tiny_numbers(scale):
    values = np.linspace(1, 2, 30) * scale
    effect = effects_of({"x": values.tolist()}, np.linspace(0, 1, 30))["x"]
    assert effect.points[-1].value == pytest.approx(2 * scale)
    assert effect.importance.middle == pytest.approx(1.0, abs=0.01)
    assert effect.sentence == "Higher is better."


def test_weights_and_scores_give_the_same_effects():
    rng = np.random.default_rng(8)
    table = {"x": rng.normal(size=30).tolist(), "y": rng.normal(size=30).tolist()}
    items = encode(table)
    weights = rng.normal(size=(40, 2))
    linear = taste_effects(Choice(items.features), table, items, 0)(one(weights))
    scored = taste_effects(ItemScores(30), table, items, 0)(one(weights @ items.features.T))
    for left, right in zip(linear, scored, strict=True):
        np.testing.assert_allclose(left.importance, right.importance)
    assert all(effect.bends < 0.05 for effect in linear)  # a weight for each feature is straight


def test_labels_are_in_log_odds_and_many_labels_have_effects_each():
    table = {"x": np.linspace(0, 1, 30).tolist()}
    items = encode(table)
    scores = 4 * np.linspace(0, 1, 30) - 1
    two = label_effects(RowScores(30), table, items, 0, ("no", "yes"))(one(scores))
    assert two["x"].importance.middle == pytest.approx(4, rel=0.01)
    assert two["x"].sentence == "Higher makes the label yes more likely."
    assert two["x"].label is None
    points = np.stack([np.linspace(0, 1, 30), np.ones(30)], axis=1)
    weights = np.array([[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    many = label_effects(SoftmaxPool(points, labels="abc"), table, items, 0, "abc")(one(weights))
    assert {effect.label: round(effect.importance.middle, 1) for effect in many} == {"a": 2.0, "b": 1.0, "c": 1.0}
    assert many.columns[0].sentence == "Higher makes the label a more likely."
    assert many.columns[1].sentence == "Higher makes the label b less likely."


def simulated(seed, answers=25):
    """Somebody whose taste is drawn from the prior of linear tastes, and the session after their answers."""
    rng = np.random.default_rng(seed)
    table = {name: rng.normal(size=25).tolist() for name in "abc"}
    features = encode(table).features
    truth = features @ (3 * rng.normal(size=3))
    session = askwise.best_item(table, shape="linear", prior_scale=3.0, seed=seed, draws=300, rule="random")
    for _ in range(answers):
        first, second = sorted(rng.choice(25, 2, replace=False).tolist())
        chance = 1 / (1 + np.exp(truth[second] - truth[first]))
        winner = first if rng.random() < chance else second
        session.tell(f"item {winner + 1}", session.pose((first, second)))
    return table, truth, session


def test_intervals_cover_at_the_stated_rate():
    covered = []
    for seed in range(40):
        table, truth, session = simulated(seed)
        true = effects_of(table, truth)
        found = session.effects()
        for name in table:
            # the ends of a straight curve are one unknown, so one end of each column counts
            point, real = found[name].points[0], true[name].points[0]
            covered.append(point.low <= real.middle <= point.high)
    error = np.sqrt(0.8 * 0.2 / len(covered))
    assert abs(np.mean(covered) - 0.8) < 4 * error


def test_a_session_knows_its_effects_and_recomputes_nothing():
    _, _, session = simulated(0)
    assert session.effects() is session.effects()
    assert [effect.importance.middle for effect in session.effects()] == sorted(
        (effect.importance.middle for effect in session.effects()), reverse=True
    )
    for one_effect in session.effects():
        for point in one_effect.points:
            assert point.low <= point.middle <= point.high
        assert 0 <= one_effect.bends <= 1


def test_another_goal_keeps_the_effects():
    _, _, session = simulated(1)
    before = {effect.name for effect in session.effects()}
    askwise.change_goal(session, "top_k", k=3)
    assert {effect.name for effect in session.effects()} == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: askwise.best_item(["tea", "coffee", "water"]),
        lambda: askwise.clusters({"name": ["a", "b", "c"], "size": [1.0, 2.0, 3.0]}),
    ],
)
def test_without_columns_there_are_no_effects(make):
    session = make()
    with pytest.raises(SettingError, match="no effects to show"):
        session.effects()
    result = askwise.goals.base.charts.Result("Which?")
    assert with_effects(result, session, session.sample) is result


def test_charts_name_the_strongest_columns_and_draw_what_bends():
    rng = np.random.default_rng(9)
    table = {
        "price": rng.uniform(5, 60, ROWS).tolist(),
        "kind": rng.choice(["car", "van", "bus"], ROWS).tolist(),
        "size": rng.normal(size=ROWS).tolist(),
    }
    bonus = np.array([{"car": 0, "van": 3, "bus": 1}[kind] for kind in table["kind"]])
    scores = -((np.array(table["price"]) - 25) ** 2) / 100 + bonus + 0.3 * np.array(table["size"])
    found = effects_of(table, scores + 0.05 * rng.normal(size=(100, ROWS)))
    charts = effect_charts(found)
    assert [type(chart).__name__ for chart in charts] == ["Intervals", "EffectCurve", "Intervals"]
    assert [chart.title for chart in charts] == ["What mattered", "How price mattered", "How kind mattered"]
    assert charts[0].notes == tuple(effect_sentences(found))
    assert charts[0].notes[1] == "kind: best with van, worst with car."
    assert all(chart.table is not None for chart in charts)
    assert len({chart.id for chart in charts}) == 3
    xs = [point.x for point in charts[1].rows]
    assert all(one < two for one, two in pairwise(xs))


def test_nothing_is_claimed_when_nothing_is_clear():
    rng = np.random.default_rng(10)
    found = effects_of({"x": rng.normal(size=30).tolist()}, rng.normal(size=(400, 30)))
    assert not found["x"].clear
    assert effect_charts(found)[0].notes == ("No column has a clear effect yet.",)


@pytest.mark.parametrize(
    ("kind", "against", "clear"), [("number", 4, True), ("number", 6, False), ("levels", 4, False)]
)
def test_two_directions_and_several_levels_share_the_risk(kind, against, clear):
    """Of 200 draws, so many against: 2.5 % are too many for a number, 2.5 % / 3 for four levels."""
    heights = np.arange(40.0) if kind == "number" else np.arange(40) % 4
    values = heights.tolist() if kind == "number" else [f"level {height}" for height in heights]
    signs = np.where(np.arange(200) < against, -1.0, 1.0)[:, None]
    assert effects_of({"x": values}, signs * heights)["x"].clear is clear


def test_columns_without_effect_are_seldom_called_clear():
    people = 60
    found = clear_shares(people, answers=15)
    falsely = (found["no number"] + found["no category"]) / 2
    assert falsely <= FALSELY_CLEAR + 3 * np.sqrt(FALSELY_CLEAR * (1 - FALSELY_CLEAR) / (2 * people))
    assert found["strong"] > 0.3


def test_it_takes_about_as_long_as_sorting_the_draws():
    rng = np.random.default_rng(11)
    table = {f"c{place}": rng.normal(size=500).tolist() for place in range(20)}
    effects = taste_effects(ItemScores(500), table, encode(table), 0)
    draws = rng.normal(size=(600, 500))
    effects(one(draws))  # what depends on the table alone
    times = {"effects": [], "sort": []}
    for _ in range(5):
        for name, compute in (("effects", lambda: effects(one(draws))), ("sort", lambda: np.sort(draws, axis=1))):
            start = process_time()
            compute()
            times[name].append(process_time() - start)
    assert min(times["effects"]) < 40 * min(times["sort"])  # about four times as long
