"""What leaves a study and comes into one: answers, draws and predictions as tables, ArviZ data, a fitted classifier for
scikit-learn, and the whole study as JSON or copied to another place."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from askwise.conversation import Conversation, Event
from askwise.errors import AskwiseError, DataError, SettingError, StudyError
from askwise.goals import from_json
from askwise.options import refusal
from askwise.reading import Recipe
from askwise.session import Session
from askwise.structures.linear import LinearPool
from askwise.structures.multiclass import SoftmaxPool
from askwise.structures.pooled import PoolRows
from askwise.study.address import Address
from askwise.study.draws import DRAWS, drawn, variables
from askwise.study.files import Table, of_one_kind, whole
from askwise.study.journal import StudyJournal
from askwise.study.participants import take_along
from askwise.study.store import Store
from askwise.threads import one_thread

OPTIONS = ("a", "b", "c")  # the columns that name what a question showed, in the order shown
SIDES = {"left": 0, "right": 1}
BLOCK = 1 << 22  # scores handled at a time, so that memory stays small


def answers_table(session: Session) -> Table:
    """One row for every answer or skip, in the order they came; `status` is answered, skipped or undone, and `fallback`
    is true where the question was not the rule's choice because the learner was late.

    Options are named in the order shown, and the answer to "A or B?" is the name chosen. Questions without an answer
    are left out.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.tell("left", who="Ann")
    >>> table = answers_table(session)
    >>> table["question"], table["response"] == table["a"], table["status"]
    (['q1'], True, ['answered'])
    """
    talk = session.conversation
    closing = [event for event in session.log if event["event"] in ("tell", "skip")]
    asked = [talk.asked[event["question"]] for event in closing]
    names = [[option["name"] for option in event["options"]] for event in asked]
    shown = OPTIONS[: max((len(options) for options in names), default=0)]
    both = list(zip(closing, asked, strict=True))
    return {
        "question": [event["question"] for event in closing],
        "response": [_named(event, question) for event, question in both],
        "status": [_standing(talk, event) for event in closing],
        "kind": [question["kind"] for question in asked],
        "text": [question["text"] for question in asked],
        **{
            column: [options[place] if place < len(options) else None for options in names]
            for place, column in enumerate(shown)
        },
        **{part: [event.get(part) for event in closing] for part in ("reason", "who", "time", "seconds")},
        "gain": [question["gain"] for question in asked],
        "fallback": [bool(question["info"].get("reserve")) for question in asked],
    }


def _named(event: Event, question: Event) -> Any:
    """The answer, with the name of the item chosen for the side on which it stood."""
    said = event.get("response")
    return question["options"][SIDES[said]]["name"] if question["kind"] == "pair" and said in SIDES else said


def _standing(talk: Conversation, event: Event) -> str:
    id = event["question"]
    in_force = talk.closing[id] is event and talk.status[id] in ("answered", "skipped")
    return talk.status[id] if in_force else "undone"


def draws_table(session: Session, count: int = DRAWS) -> Table:
    """Posterior draws, one row each, with columns such as utility[tea], weight[price] or cluster[ant].

    >>> import askwise
    >>> list(draws_table(askwise.best_item(["tea", "coffee"], seed=1), 10))
    ['utility[tea]', 'utility[coffee]']
    """
    return dict(pair for name, variable in variables(session, count).items() for pair in variable.columns(name))


@one_thread
def predictions_table(session: Session) -> Table:
    """The rows of a classifier's table: their names, their most probable label, and the probability of each label.

    >>> import askwise
    >>> session = askwise.classifier({"name": ["a", "b"], "size": [1.0, 2.0]}, ("small", "large"))
    >>> list(predictions_table(session))
    ['name', 'label', 'probability[small]', 'probability[large]']
    """
    problem, family = session.problem, _classifiers(session)
    names, labels = family.names, family.labels
    structures = drawn(session, DRAWS)
    step = max(1, BLOCK // (DRAWS * len(labels)))
    blocks = [
        problem.chances(family.predict(structures, np.arange(start, min(start + step, len(names))))).mean(axis=1)
        for start in range(0, len(names), step)
    ]
    chances = np.hstack(blocks)  # (K, N), in the order of the labels
    predicted = [labels[place] for place in chances.argmax(axis=0)]
    shares = {f"probability[{label}]": row.tolist() for label, row in zip(labels, chances, strict=True)}
    return {"name": list(names), "label": predicted, **shares}


def to_sklearn(session: Session) -> Any:
    """A fitted scikit-learn classifier with the beliefs of a classifier's session.

    It takes tables with the columns that were features, as the session did: a dataframe, a list of dicts, a dict of
    columns, or an array with one column for each feature in their order (`feature_names_in_`). Its own `fit(X, y)`
    learns anew from numbers and labels.

    >>> import askwise
    >>> session = askwise.classifier({"size": [1.0, 2.0, 3.0, 4.0]}, labels=("small", "large"), seed=1)
    >>> for _ in range(4):
    ...     size = int(session.ask().options[0].name[-1])
    ...     session.tell("large" if size > 2 else "small")
    >>> model = askwise.to_sklearn(session)
    >>> model.predict([{"size": 0.5}, {"size": 9.0}]).tolist()
    ['small', 'large']
    """
    if not isinstance(session, Session):
        raise refusal("session", session, "an askwise.Session")
    _classifiers(session)
    if session.recipe is None:
        raise SettingError("the session was built by hand or with a function of your own, so its table is not known")
    try:
        from askwise.estimator import of_study
    except ModuleNotFoundError:
        raise SettingError("to_sklearn needs scikit-learn; install it with: pip install 'askwise[sklearn]'") from None
    return of_study(session.recipe, drawn(session, DRAWS))


def _classifiers(session: Session) -> LinearPool | SoftmaxPool:
    family: Any = session.problem.family
    if isinstance(family, PoolRows):
        family = getattr(session.problem.distance, "family", None)  # of the rows that stand for all
    if not isinstance(family, LinearPool | SoftmaxPool):
        raise SettingError("only a classifier predicts labels, and this session has another goal")
    return family


def to_netcdf(session: Session, path: str | Path, count: int = DRAWS) -> None:
    """Writes an InferenceData file, which `arviz.from_netcdf` reads: draws in `posterior`, the answers in force in
    `observed_data`, how the sampler fared in `sample_stats`. All draws are written as one
    chain, also where several were run."""
    try:
        import h5netcdf  # noqa: F401  xarray writes with it
        from xarray import Dataset
    except ModuleNotFoundError:
        raise SettingError(
            ".nc files need ArviZ's libraries; install them with: pip install 'askwise[arviz]'"
        ) from None
    found = variables(session, count)
    axes = {axis: list(names) for variable in found.values() for axis, names in variable.axes.items()}
    told = answers_table(session)
    force = [place for place, status in enumerate(told["status"]) if status == "answered"]
    responses = of_one_kind([told["response"][place] for place in force])
    about = {"goal": session.pursued["goal"] if session.pursued else "", "inference_library": "askwise"}
    groups = {
        None: Dataset(attrs={**about, "inference_library_version": version("askwise")}),
        "posterior": Dataset(
            {name: (("chain", "draw", *each.axes), each.values[None]) for name, each in found.items()},
            coords={"chain": [0], "draw": np.arange(count), **axes},
        ),
        "observed_data": Dataset(
            {"response": ("answer", responses)}, coords={"answer": [told["question"][place] for place in force]}
        ),
        "sample_stats": Dataset(dict(session.posterior.diagnostics())),
    }
    with whole(path) as draft:
        for group, content in groups.items():
            content.to_netcdf(draft, mode="w" if group is None else "a", group=group, engine="h5netcdf")


def write_log(session: Session, path: str | Path) -> None:
    """The whole study as one JSON text: the table, the options and everything that happened, but no pictures."""
    if session.recipe is None:
        raise StudyError("the session was built by hand or with a function of your own, which a file cannot hold")
    with whole(path) as draft:
        draft.write_text(session.to_json(), encoding="utf-8")


def read_log(path: str | Path) -> tuple[Recipe, list[Event]]:
    """What `write_log` wrote, checked to be something that could have happened.

    >>> import askwise, tempfile
    >>> path = tempfile.mkdtemp() + "/drinks.json"
    >>> session = askwise.best_item(["tea", "coffee"], seed=1)
    >>> write_log(session, path)
    >>> read_log(path) == (session.recipe, session.log)
    True
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        state = json.loads(text)
        new = from_json(json.dumps({**state, "log": []}))
        for event in state["log"]:
            new.conversation.check(event)
            new.conversation.record(event)
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {error.strerror}") from None
    except AskwiseError as error:
        raise DataError(f"{path} cannot be taken in: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(f"{path} is not a study written by askwise; expected its JSON text, whole") from None
    return state["recipe"], state["log"]


def copy(source: str | Path, target: str | Path) -> None:
    """Copies a study, file or database entry, to a new place: the table, its pictures, everything that happened, and
    its participants with their logs and links.

    >>> import askwise, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> askwise.save(askwise.best_item(["tea", "coffee"], seed=1), f"{folder}/one.askwise")
    >>> copy(f"{folder}/one.askwise", f"{folder}/two.askwise")
    >>> askwise.open(f"{folder}/two.askwise")
    <Session: best_item, 0 answers, 0 open>
    """
    here, there = Store.at(Address.of(source)), Address.of(target)
    record = here.record()
    log = StudyJournal(here, record).since(0)
    there = there if there.name else there.named(record.name)
    Store.create(there, record.recipe, here.images(record.study), log)
    made = Store.at(there)
    take_along(here, record, made)
    kept = here.checkpoint(record.study)
    if kept is not None:
        made.keep_checkpoint(made.record().study, kept)
    here.close()
    made.close()
