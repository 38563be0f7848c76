"""Items that come and go: beliefs are those of the whole table, retired items are out, and the log replays."""

import json

import numpy as np
import pytest

import askwise
from askwise.distances.items import BestItem
from askwise.errors import AnswerError, DataError, SettingError
from askwise.posteriors.scores.population import Population
from askwise.posteriors.scores.shaped import LAPSE_WEIGHTS, LAPSES
from tests.models import assert_same_state

RNG = np.random.default_rng(5)
TABLE = {
    "name": [f"item {place}" for place in range(10)],
    "size": RNG.normal(size=10).round(3).tolist(),
    "colour": ["red", "blue"] * 5,
    "old": [1.0] * 6 + [2.0] * 4,  # a feature only with the new rows
}
FIRST, LATER = ({column: values[part] for column, values in TABLE.items()} for part in (slice(6), slice(6, None)))
NAMES = {"name": TABLE["name"]}
GROWING = {
    "learned": (askwise.best_item, TABLE, {"draws": 50}),
    "smooth": (askwise.top_k, TABLE, {"k": 2, "draws": 50, "shape": "smooth"}),
    "linear": (askwise.ranking, TABLE, {"draws": 50, "shape": "linear"}),
    "own appeal": (askwise.best_item, TABLE, {"draws": 50, "shape": "linear", "individual": 0.5}),
    "names": (askwise.top_ranking, NAMES, {"k": 2, "draws": 50}),
    "never wrong": (askwise.best_item, NAMES, {"draws": 50, "noise": 0}),
    "labels": (askwise.classifier, TABLE, {"draws": 50}),
    "three labels": (askwise.classifier, TABLE, {"draws": 20, "labels": ["a", "b", "c"]}),
    "clusters": (askwise.clusters, TABLE, {"draws": 16}),
    "cluster of": (askwise.cluster_of, NAMES, {"item": "item 0", "draws": 16}),
    "tree": (askwise.hierarchy, NAMES, {"draws": 16}),
}


def part_of(table, rows):
    return {column: values[rows] for column, values in table.items()}


def answered(session, count=5):
    for _ in range(count):
        question = session.ask()
        session.tell(question.responses[len(question.options[0].name) * session.round.number % 2])
    return session


def arrays_of(session):
    return session.posterior.sample(40, np.random.default_rng(1)).structures


@pytest.mark.parametrize("kind", GROWING)
def test_beliefs_are_those_of_a_study_that_had_all_rows_from_the_start(kind):
    goal, table, options = GROWING[kind]
    grown = answered(goal(part_of(table, slice(6)), seed=3, **options))
    whole = goal(table, seed=3, **options)
    for event in grown.log:
        if event["event"] == "tell":
            asked = grown.event_log.ask_events[event["question"]]
            posed = whole.pose(asked["atom"])
            side = {option.name: place for place, option in enumerate(posed.options)}
            shown = asked["options"][0]["name"]
            swapped = posed.kind == "pair" and side[shown] == 1
            said = {"left": "right", "right": "left"}[event["response"]] if swapped else event["response"]
            whole.tell(said, posed)
    grown.add_items(part_of(table, slice(6, None)))
    assert np.array_equal(arrays_of(grown), arrays_of(whole))
    assert grown.pursued["data"] == whole.recipe["data"]
    grown.add_items({column: [values[0]] for column, values in {**table, "name": ["one more"]}.items()})
    assert_same_state(askwise.from_json(grown.to_json()), grown)


def test_names_alone_against_a_quadrature():
    """Two answers about two names, then a third name: the chance of each to be the best."""
    session = askwise.best_item(["a", "b"], seed=1, draws=4000, prior_scale=2.0, repeat=True)
    for _ in range(2):
        session.tell("a", session.pose((0, 1)))
    session.add_items(["c"])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    a, b, c = (2.0 * axis for axis in np.meshgrid(nodes, nodes, nodes, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", weights, weights, weights)
    chance = np.stack([(1 - lapse) / (1 + np.exp(b - a)) + lapse / 2 for lapse in LAPSES])
    weight = weight * np.einsum("l,lijk->ijk", LAPSE_WEIGHTS, chance**2)
    weight /= weight.sum()
    found = session.posterior.sample(4000, np.random.default_rng(0))
    exact, axes = [], (a, b, c)
    for one, two in ((0, 1), (0, 2), (1, 2)):
        difference = axes[one] - axes[two]  # the nodes of two axes are the same: half of the ties
        exact.append((weight * ((difference > 0) + 0.5 * (difference == 0))).sum())
        drawn = (found.structures[:, one] > found.structures[:, two]) @ found.weights
        assert abs(drawn - exact[-1]) < 4 * np.sqrt(0.25 / 1000)
    means = [(weight * axis).sum() for axis in axes]
    assert np.allclose(found.weights @ found.structures, means, atol=4 * 2.0 / np.sqrt(1000))


@pytest.mark.parametrize("goal", [askwise.best_item, askwise.top_k, askwise.ranking, askwise.top_ranking])
@pytest.mark.parametrize("shape", ["learned", "linear"])
def test_a_retired_item_is_out_but_its_answers_count(goal, shape):
    options = {"k": 2} if goal in (askwise.top_k, askwise.top_ranking) else {}
    session = answered(goal(TABLE, seed=2, draws=60, shape=shape, **options))
    before, estimate = session.posterior, session.estimate().value
    gone = [estimate, "item 5"] if isinstance(estimate, str) else [estimate[0], estimate[1]]
    session.retire(gone)
    assert session.posterior is before
    rows = [place for place, name in enumerate(TABLE["name"]) if name not in gone]
    left = goal(part_of_rows(rows), draws=60, shape=shape, **options)
    drawn = session.sample.structures[:30]
    scored = session.problem.family.utilities(drawn)[:, rows]
    over = type(session.problem.distance)(np.eye(len(rows)), **({"k": 2} if options else {}), scored=True)
    assert np.allclose(session.problem.distance.pairwise(drawn), over.pairwise(scored))
    assert session.problem.family.active_names == left.problem.family.names
    for _ in range(20):
        question = session.ask()
        assert not {option.name for option in question.options} & set(gone)
        session.tell("left")
    found = session.estimate().value
    assert not {found} & set(gone) if isinstance(found, str) else not set(found) & set(gone)
    shown = str(askwise.goals.goal_of(session).result(session, session.sample))
    assert not any(name in shown for name in gone)
    assert "8" in askwise.goals.goal_of(session).sentences(session)[0]
    assert_same_state(askwise.from_json(session.to_json()), session)


def part_of_rows(rows):
    return {column: [values[row] for row in rows] for column, values in TABLE.items()}


def test_many_items_are_proposed_among_those_that_are_left():
    session = askwise.best_item({"name": [f"i{n}" for n in range(1200)], "x": np.arange(1200.0).tolist()}, draws=30)
    session.retire([f"i{n}" for n in range(600)])
    atoms = session.round.fresh_atoms(session.event_log)
    assert atoms.min() >= 600
    assert session.problem.family.propose_atoms(session.sample.structures, 400).min() >= 600


def test_an_open_question_about_a_retired_item_is_withdrawn_and_its_answer_taken():
    session = askwise.best_item(NAMES, seed=1, draws=50)
    question = session.ask()
    gone = question.options[0].name
    session.retire(gone)
    other = session.ask()
    assert gone not in [option.name for option in other.options]
    session.tell("left", question)
    assert len(session.answers) == 1
    with pytest.raises(AnswerError, match="was answered before"):
        session.tell("left", question)
    session.undo(question)
    assert session.event_log.status[question.id] == "withdrawn"
    assert question.id not in session.event_log.open_questions()
    session.skip(question)
    assert_same_state(askwise.from_json(session.to_json()), session)


def test_new_rows_leave_open_questions_open():
    session = askwise.best_item(FIRST, seed=1, draws=50)
    question = session.ask()
    session.add_items(LATER)
    again = session.ask()
    assert (again.id, again.names, again.text) == (question.id, question.names, question.text)


def test_an_undo_of_an_answer_before_the_change_is_a_study_without_it():
    session = answered(askwise.best_item(FIRST, seed=4, draws=50))
    session.add_items(LATER)
    session.retire("item 0")
    session.undo("q2")
    whole = askwise.best_item(TABLE, seed=4, draws=50)
    told = {id: answer for id, answer in session.round.beliefs.told.items() if id != "q2"}
    beliefs = whole.round.beliefs._with(told, ())
    drawn = beliefs.posterior.sample(40, np.random.default_rng(1)).structures
    assert np.array_equal(arrays_of(session), drawn)
    assert_same_state(askwise.from_json(session.to_json()), session)


def test_a_change_is_made_once_with_a_key():
    session = askwise.best_item(["a", "b", "c"], draws=20)
    for _ in range(2):
        session.add_items(["d"], key="first change")
    assert len(session.log) == 1
    session.tell("left", session.ask(), key="an answer")
    with pytest.raises(AnswerError, match="used before, to tell"):
        session.retire("a", key="an answer")


def test_the_goal_changes_with_the_items():
    session = askwise.best_item(NAMES, seed=1, draws=50)
    session.retire("item 3")
    askwise.change_goal(session, "top_k", k=2)
    session.add_items(["new"])
    askwise.change_goal(session, "ranking")
    assert set(session.estimate().value) == {*NAMES["name"], "new"} - {"item 3"}
    assert_same_state(askwise.from_json(session.to_json()), session)


def test_rounds_prepared_before_a_change_are_forgotten():
    session = askwise.best_item(["a", "b", "c"], seed=1, draws=50)
    session.ask()
    session.prepare()
    session.add_items(["d", "e"])
    session.tell("left")
    assert_same_state(askwise.from_json(session.to_json()), session)


BAD = [
    (["item 0"], None, "an item 'item 0' is there already; give new items names of their own"),
    (["gone"], None, "an item 'gone' was there before and retired"),
    ([{"name": "x", "size": 1}], None, "the new rows lack columns 'colour', 'old'; give the columns 'name', 'size'"),
    ([{"name": "x", "size": 1, "colour": "red", "old": 1, "taste": 3}], None, "have the column 'taste', which the"),
    ([{"name": "x", "size": "large", "colour": "red", "old": 1}], None, "column 'size' does not hold numbers"),
    ([{"name": "x", "size": None, "colour": "red", "old": 1}], None, "column 'size' has missing values"),
    ([{"name": "left", "size": 1, "colour": "red", "old": 1}], None, "which is also what people answer"),
    ([], None, "the table is empty"),
    (7, None, "data of type int cannot become items"),
    (None, "nobody", "there is no item 'nobody'; the first are item 0, item 1, item 2"),
    (None, ["gone"], "the item 'gone' has retired already; name others"),
    (None, [], "no item is named; give at least one"),
    (None, 5, "names is 5; expected a list of names of items"),
    (None, TABLE["name"][:9], "1 item would be left, and nothing to compare; keep at least two"),
]


@pytest.mark.parametrize(("rows", "names", "sentence"), BAD)
def test_bad_input_is_refused_in_one_sentence_and_changes_nothing(rows, names, sentence):
    extra = {"name": [*TABLE["name"], "gone"]} | {
        column: [*TABLE[column], TABLE[column][0]] for column in FIRST if column != "name"
    }
    named = rows is not None and rows != 7 and all(isinstance(row, str) for row in rows)
    session = askwise.best_item({"name": extra["name"]} if named else extra, draws=20)
    session.retire("gone")
    before = json.dumps(session.log)
    with pytest.raises((DataError, SettingError)) as refused:
        session.add_items(rows) if names is None else session.retire(names)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert json.dumps(session.log) == before


def test_too_many_rows_are_refused():
    session = askwise.hierarchy(["a", "b", "c"], draws=8)
    with pytest.raises(DataError, match="hierarchy takes up to 300 rows, got 303"):
        session.add_items([f"n{place}" for place in range(300)])


def test_rows_that_would_cost_a_feature_are_refused():
    session = askwise.best_item({"name": list("abcd"), "x": [1, 2, 4, 8], "kind": ["x", "x", "y", "y"]}, draws=20)
    with pytest.raises(DataError, match="with the new rows the column 'kind' is free text, and would not count"):
        session.add_items({"name": list("efgh"), "x": [3, 5, 6, 7], "kind": ["p", "q", "r", "s"]})


def test_rows_that_would_change_the_names_are_refused():
    table = {"code": ["p", "q", "r"], "word": ["one", "two", "six"], "x": [1, 2, 4]}
    session = askwise.best_item(table, draws=20)
    assert session.problem.family.names == ("p", "q", "r")
    with pytest.raises(DataError, match="another column would hold the names"):
        session.add_items({"code": ["x", "x"], "word": ["ten", "ace"], "x": [3, 5]})


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        (lambda: askwise.best_column((3, 3), draws=8), "the table of best_column is fixed; items can change in best_i"),
        (lambda: askwise.segments({"x": [1.0, 2.0, 3.0]}, "x", draws=8), "the table of segments is fixed"),
        (lambda: askwise.best_item(["a", "b"], by=lambda items: BestItem(items)), "was built by hand"),
    ],
)
def test_goals_whose_table_is_fixed_say_so(session, sentence):
    with pytest.raises(SettingError, match=sentence):
        session().add_items(["x"])


def test_groups_do_not_retire():
    with pytest.raises(SettingError, match="and this is clusters; start a new study without them"):
        askwise.clusters(["a", "b", "c"], draws=8).retire("a")


def test_a_population_extends_by_conditioning():
    """Against the normal distribution it stands for: the known scores as before, the new ones as the base says."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(5, 5))
    base = root @ root.T
    known = Population(4, rng.normal(size=3), rng.normal(size=(3, 2)), 1.5, 0.3 * rng.normal(size=(3, 1)))
    whole = known.extended(base)
    slopes = base[3:, :3] @ np.linalg.inv(base[:3, :3])
    rest = 1.5**2 * (base[3:, 3:] - slopes @ base[:3, 3:])
    before, after = known.covariance(base[:3, :3]), whole.covariance(base)
    assert np.allclose(after[:3, :3], before)
    assert np.allclose(after[3:, :3], slopes @ before)
    assert np.allclose(after[3:, 3:], slopes @ before @ slopes.T + rest)
    assert np.allclose(whole.mean, [*known.mean, *(slopes @ known.mean)])
