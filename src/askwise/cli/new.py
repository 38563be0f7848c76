"""askwise new: from a table to a study."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from askwise.cli.common import AsJson, typed_address, visible
from askwise.errors import SettingError

GOALS = "best-item, top-k, ranking, classifier, cluster-of, clusters, hierarchy, best-column"


def new(
    goal: Annotated[str, typer.Argument(help=f"{GOALS}.")],
    data: Annotated[Path, typer.Argument(help="A table (CSV, TSV, JSONL, Parquet) or a folder of pictures.")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="The study to make [DATA.askwise].")] = None,
    store: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A database for it: postgresql://host/database.")
    ] = None,
    name_column: Annotated[str | None, typer.Option(help="The column with the names.")] = None,
    image_column: Annotated[str | None, typer.Option(help="The column with the files of the pictures.")] = None,
    features: Annotated[str | None, typer.Option(help="Columns to use, with commas between [all that can be].")] = None,
    text_features: Annotated[str | None, typer.Option(metavar="COLUMN", help="Turn these texts into features.")] = None,
    missing: Annotated[str | None, typer.Option(help="refuse, or impute unknown values [refuse].")] = None,
    k: Annotated[int | None, typer.Option(help="How many [top-k].")] = None,
    item: Annotated[str | None, typer.Option(help="Whose cluster, by name [cluster-of].")] = None,
    labels: Annotated[str | None, typer.Option(help="With commas between [classifier; no,yes].")] = None,
    fair_on: Annotated[str | None, typer.Option(help="The column to be fair on [classifier].")] = None,
    score: Annotated[str | None, typer.Option(help="mean, max or min [best-column; mean].")] = None,
    rows: Annotated[str | None, typer.Option(help="Rows that count, with commas between [best-column; all].")] = None,
    rank: Annotated[int | None, typer.Option(min=0, max=1000, help="Factors of the matrix [best-column; 3].")] = None,
    by: Annotated[str | None, typer.Option(help="regret, distance or exact [best-item; regret].")] = None,
    ties: Annotated[bool, typer.Option("--ties", help="Allow 'about equal' [best-item, top-k, ranking].")] = False,
    noise: Annotated[float | None, typer.Option(help="Share of wrong answers [clusters, hierarchy; 0.05].")] = None,
    epsilon: Annotated[float | None, typer.Option(help="How undecided it may stay when it stops.")] = None,
    delta: Annotated[float | None, typer.Option(help="Chance of stopping too early [0.05].")] = None,
    budget: Annotated[int | None, typer.Option(help="Answers at most [300].")] = None,
    rule: Annotated[str | None, typer.Option(help="How questions are chosen [expected].")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed, the same questions [0].")] = None,
    prior_scale: Annotated[float | None, typer.Option(help="How decided people are [learned].")] = None,
    encoding: Annotated[str, typer.Option(help="Of a text file.")] = "utf-8",
    instructions: Annotated[Path | None, typer.Option(help="A text for the people who answer in the browser.")] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="People share one posterior [each has their own].")] = False,
    as_json: AsJson = False,
) -> None:
    """Makes a study of a table, and says in plain words what it understood."""
    from askwise.study.address import SUFFIX, Address
    from askwise.study.new import goal_named, in_words, make, understood, write
    from askwise.study.read import read
    from askwise.study.texts import with_text_features

    goal_named(goal)  # a goal that does not exist is told before a large table is read
    found = read(data, encoding=encoding, image=image_column)
    if text_features is not None:
        found = type(found)(with_text_features(found.columns, text_features), found.source, found.image, found.pictures)
    options: dict[str, Any] = {
        "name": name_column,
        "features": _list(features),
        "missing": missing,
        "k": k,
        "item": item,
        "labels": _list(labels),
        "fair_on": fair_on,
        "score": score,
        "rows": _list(rows),
        "rank": rank,
        "by": by,
        "ties": ties or None,
        "noise": noise,
        "epsilon": epsilon,
        "delta": delta,
        "budget": budget,
        "rule": rule,
        "seed": seed,
        "prior_scale": prior_scale,
    }
    given = {option: value for option, value in options.items() if value is not None}
    session = make(goal, found, _asked_for(goal, given, as_json))
    wanted = output if output is not None else f"{data.stem if data.suffix else data.name}{SUFFIX}"
    address = Address.of(wanted) if store is None else Address.of(store).named(Path(wanted).stem)
    assert session.recipe is not None
    words, facts = in_words(session), understood(session).as_dict()  # before anything is written
    told = "" if instructions is None else _text(instructions, encoding)
    write(address, session.recipe, found.pictures, "pooled" if pooled else "own", told)
    if as_json:
        typer.echo(json.dumps({"study": str(address), **facts}))
        return
    typer.echo("\n".join(map(visible, words)))
    typer.echo(f"\nMade {visible(str(address))}. Now answer: askwise ask {visible(typed_address(address))}")


def _asked_for(goal: str, given: dict[str, Any], as_json: bool) -> dict[str, Any]:
    """Asks for what the goal cannot do without, if there is somebody to ask."""
    if as_json or not sys.stdin.isatty():
        return given
    if goal == "top-k" and "k" not in given:
        given["k"] = typer.prompt("How many items do you want", type=int)
    if goal == "cluster-of" and "item" not in given:
        given["item"] = typer.prompt("Whose cluster do you want (a name)")
    return given


def _text(path: Path, encoding: str) -> str:
    from askwise.study.read import abbreviated

    try:
        if not path.is_file():  # a pipe would be waited for
            raise SettingError(f"there is no file {path} with instructions; give a text file")
        return path.read_text(encoding=encoding)
    except OSError as error:
        told = f"the instructions in {abbreviated(path)} cannot be read: {error.strerror}"
        raise SettingError(f"{told}; give a text file") from None
    except (LookupError, UnicodeError):
        raise SettingError(f"the instructions in {path} are not {encoding} text; save them as UTF-8") from None


def _list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]
