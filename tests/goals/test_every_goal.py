"""What every goal must do, whichever it is: build, ask, answer, save, report, serve, refuse."""

from __future__ import annotations

import inspect
import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.cli.app import whole_command
from askwise.cli.options import goal_options
from askwise.errors import AskwiseError, DataError, SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.exchange.draws import draws_table
from askwise.goals import GOALS, goal_class, goal_of, goals, remake
from askwise.goals.base.charts import Chart
from askwise.goals.base.options import declared, is_required
from askwise.report.page import page
from askwise.strategies import strategies
from askwise.web.app import create_app
from askwise.web.form import form_fields
from tests.web.conftest import in_process  # noqa: F401  a fixture

EVERY_GOAL = sorted(goals())
OWNER = {"Authorization": "Bearer secret"}


def small(goal: str, **options):
    """A session of the goal's own example."""
    return GOALS[goal](**goals()[goal].example, **{"seed": 1, "draws": 12, **options})


def answer(session, count: int = 2):
    for number in range(count):
        question = session.ask()
        session.tell(float(number) if question.kind == "number" else question.responses[number % 2])
    return session


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_a_goal_is_declared_whole(goal):
    kind = goals()[goal]
    assert kind.__module__ == f"askwise.goals.{goal}"
    assert kind.goal_name == goal
    for part in ("title", "asks", "estimate", "distance", "needs", "data_help"):
        assert getattr(kind, part).strip()
    assert kind.max_rows > kind.min_rows
    assert ">>>" in inspect.getdoc(kind)
    for name, option in declared(kind).items():
        assert option.help.endswith("."), name
        assert option.typed in (int, float, str, bool, list, None)
        assert not (is_required(kind, name) and option.typed is not None and not option.example), name


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_the_python_function_is_derived(goal):
    function = getattr(askwise, goal)
    assert function is GOALS[goal]
    assert function.__name__ == goal
    parameters = inspect.signature(function).parameters
    assert next(iter(parameters)) == "data"
    assert set(parameters) - {"data"} == set(declared(goals()[goal]))
    assert all(f":param {name}:" in function.__doc__ for name in parameters)
    with pytest.raises(TypeError, match=rf"^{goal}\(\) has no option 'colour'"):
        function(**goals()[goal].example, colour="red")


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_a_session_lasts(goal, tmp_path):
    session = answer(small(goal))
    copy = askwise.from_json(session.to_json())
    assert copy.recipe == json.loads(json.dumps(session.recipe))
    assert copy.ask() == session.ask()
    askwise.save(session, tmp_path / "study.askwise")
    opened = askwise.open(tmp_path / "study.askwise")
    assert opened.ask() == session.ask()
    assert opened.estimate().value == session.estimate().value
    assert set(session.recipe["options"]) == set(declared(goals()[goal]))


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_a_session_speaks_and_is_drawn(goal):
    session = small(goal)
    built = goal_of(session)
    assert all(sentence.endswith(".") for sentence in built.sentences(session))
    assert built.summary(session).questions > 0
    answer(session)
    result = built.result(session, session.sample)
    assert result.question.endswith("?")
    assert result.all_charts
    assert all(isinstance(chart, Chart) for chart in result.all_charts)
    assert len({chart.id for chart in result.all_charts}) == len(result.all_charts)
    with pytest.raises(FrozenInstanceError):
        result.question = ""
    estimate = session.estimate().value
    assert isinstance(built.headline(estimate), str)
    assert built.lines(estimate)
    assert built.certainty(session.certificate()).endswith(".")
    assert result.question in page(session, title="Drinks")


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_draws_and_answers_leave_and_come_back(goal):
    session = answer(small(goal))
    table = draws_table(session, 5)
    assert table
    assert {len(column) for column in table.values()} == {5}
    fresh = small(goal)
    question = fresh.ask()
    names = [*filter(None, [question.who]), *(option.name for option in question.options)]
    said = 1.0 if question.kind == "number" else question.responses[0]
    columns = goal_of(fresh).columns_of_answers()
    assert len(columns) == len(names) + 1
    rows, problems = parse_rows(fresh, dict(zip(columns, ([cell] for cell in (*names, said)), strict=True)))
    assert not problems
    assert list(apply_rows(fresh, rows, b"a table")) == [True]
    assert len(fresh.answers) == 1


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_limits_are_told_in_one_sentence(goal, monkeypatch):
    kind = goals()[goal]
    session = small(goal)
    monkeypatch.setattr(kind, "max_rows", 1)
    with pytest.raises(DataError, match=rf"^{goal} takes up to 1 rows, got \d+; give a part of them$"):
        small(goal)
    remake(session.recipe)  # what was saved opens all the same


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_bad_options_are_refused(goal):
    for option, value in {"epsilon": "much", "budget": 0, "seed": -1, "rule": "best", "draws": 1, "repeat": 2}.items():
        with pytest.raises(SettingError, match=r"^[^\n]{15,400}$"):
            small(goal, **{option: value})


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_a_rule_of_one_s_own_works_but_cannot_be_saved(goal, tmp_path):
    def first(problem, posterior, sample, atoms, rng):
        return strategies()["random"](problem, posterior, sample, atoms, np.random.default_rng(0))

    session = answer(small(goal, rule=first))
    assert goal_of(session).rule is first
    assert goal_of(session).result(session, session.sample).question
    with pytest.raises(AskwiseError, match="a function of your own, which a file cannot hold"):
        askwise.save(session, tmp_path / "study.askwise")


def test_objects_that_have_a_name_are_saved_by_it():
    from askwise.distances.items import BestItem

    session = askwise.best_item(["tea", "milk"], by=BestItem, rule=strategies()["qbc"], draws=8)
    assert session.recipe["options"]["by"] == "exact"
    assert session.recipe["options"]["rule"] == "qbc"


@pytest.mark.parametrize("given", ["object", "function"])
def test_a_distance_of_one_s_own(given):
    from askwise.distances.items import BestItem

    class Mine(BestItem):
        """Counts how often it is made."""

    by = Mine(np.eye(3)) if given == "object" else lambda rows: Mine(rows)
    session = answer(askwise.best_item(["tea", "milk", "water"], by=by, draws=20, seed=1))
    assert type(session.problem.distance) is Mine
    assert session.recipe is None
    with pytest.raises(SettingError, match=r"^by is 3; expected one of 'regret', .*, or a distance"):
        askwise.best_item(["tea", "milk"], by=3)


@pytest.mark.parametrize("goal", ["best_item", "ranking", "top_ranking", "clusters"])
def test_missing_values_are_filled_by_a_function_of_one_s_own(goal):
    def fill(values):
        return [0.5 if value is None else value for value in values]

    table = {"name": ["tea", "milk", "water"], "price": [1.0, None, 3.0]}
    options = {"k": 2} if "k" in goals()[goal].example else {}
    session = GOALS[goal](table, **options, missing=fill, draws=8)
    assert session.recipe["data"]["price"] == [1.0, 0.5, 3.0]
    assert session.recipe["options"]["missing"] == "refuse"
    assert askwise.from_json(session.to_json()).ask() == session.ask()
    with pytest.raises(SettingError, match=r"^missing is 3; expected one of 'refuse', 'impute', or a function that"):
        GOALS[goal](table, **options, missing=3)


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_the_command_takes_the_options_of_every_goal(goal):
    flags = {flag for option in whole_command("new").params for flag in option.opts}
    for name, option in declared(goals()[goal]).items():
        assert ((option.flag or f"--{name.replace('_', '-')}") in flags) == (option.typed is not None)
    changed = {option.name for option in whole_command("goal").params} - {"file", "goal", "as_json", "help"}
    assert changed == set(goal_options(changeable=True))


def test_help_says_for_which_goals_an_option_is():
    options = {option.name: getattr(option, "help", "") for option in whole_command("new").params}
    assert options["item"].endswith("[cluster-of, segment-of]")
    assert options["missing"].endswith("[every goal but best-column and matrix; refuse]")
    assert options["budget"].endswith("[every goal; 300]")


@pytest.mark.parametrize("goal", EVERY_GOAL)
def test_the_web_makes_asks_and_draws(goal, tmp_path, in_process):  # noqa: F811
    kind = goals()[goal]
    columns = kind.example["data"] if isinstance(kind.example["data"], dict) else {"name": kind.example["data"]}
    rows = [["" if cell is None else str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    lines = [",".join(row) for row in (columns, *rows)]
    options = {name: value for name, value in kind.example.items() if name != "data"}
    with TestClient(create_app(str(tmp_path), token="secret", workers=1)) as client:
        home = client.get("/", headers=OWNER).text
        assert f'<option value="{goal}">{kind.title}</option>' in home
        for field in form_fields():
            assert f'name="{field.name}"' in home
        form = {"goal": goal, "name": "small", "options": json.dumps({"draws": 12, **options})}
        made = client.post("/api/v1/studies", headers=OWNER, data=form, files={"table": ("t.csv", "\n".join(lines))})
        assert made.status_code == 201, made.text
        here = "/api/v1/studies/small"
        question = client.get(f"{here}/questions", headers=OWNER).json()
        said = 1.0 if question["kind"] == "number" else question["responses"][0]
        told = {"question": question["id"], "response": said, "key": "key-12345"}
        assert client.post(f"{here}/answers", headers=OWNER, json=told).status_code == 200
        learned = client.get(f"{here}/learned", headers=OWNER).json()
        assert learned["answers"] == 1
        assert learned["charts"]
        assert "<h1>" in client.get(f"{here}/report.html", headers=OWNER).text
        assert client.get(here, headers=OWNER).json()["aim"].endswith(".")


def test_tables_of_the_docs_are_those_of_the_goals():
    from docs.tables import TABLES, with_tables

    for name in TABLES:
        text = (Path(__file__).parents[2] / "docs" / name).read_text(encoding="utf-8")
        assert with_tables(name, text) == text, f"run python docs/tables.py: docs/{name} is out of date"


def test_names_are_found_as_typed_and_others_refused():
    assert goal_class("best-item") is goal_class("best_item")
    with pytest.raises(SettingError, match=r"^there is no goal 'best'; the goals are best_column, best_item, "):
        goal_class("best")
    with pytest.raises(SettingError, match=r"the goals are best-column, best-item"):
        goal_class("best", typed=True)
