"""Studies of pools: the commands, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import DataError, SettingError
from askwise.goals import classifier, from_json
from askwise.structures import PooledRows
from tests.pools import points, write_pool


@pytest.fixture
def command(run_command):
    return run_command


def test_the_command_makes_a_study_of_a_folder(tmp_path, command):
    (tmp_path / "rows").mkdir()
    for number in range(2):
        write_pool(tmp_path / "rows" / f"{number}.parquet", points(3000, seed=number))
    code, out, _ = command("new", "classifier", tmp_path / "rows", "--labels", "cat,dog")
    assert code == 0
    assert "Learn which label each of the 6000 rows has: cat or dog." in out
    assert "2,000 random ones stand for all in the result." in out
    assert (tmp_path / "rows.askwise").stat().st_size < (tmp_path / "rows" / "0.parquet").stat().st_size * 5
    code, out, _ = command("ask", "rows.askwise", "--no-forecast", stdin="cat\ndog\nq\n")
    assert (code, "2 answers kept" in out) == (0, True)
    assert command("report", "rows.askwise")[0] == 0
    assert "rows is a pool of rows on disk, which is for classifier" in command("new", "ranking", "rows")[2]
    write_pool(tmp_path / "rows" / "1.parquet", points(3000, seed=5))
    code, _, error = command("status", "rows.askwise")
    assert (code, "has changed since the study was made" in error) == (2, True)


def test_the_command_asks_on_a_cluster(tmp_path, command):
    """The same questions as without one, found by its workers."""
    from distributed import LocalCluster

    (tmp_path / "rows").mkdir()
    write_pool(tmp_path / "rows" / "all.parquet", points(16_000))
    asked = []
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        for name, more in (("alone", []), ("together", ["--cluster", cluster.scheduler_address])):
            study = f"{name}.askwise"
            assert command("new", "classifier", "rows", "--labels", "no,yes", "-o", study)[0] == 0
            assert command("ask", study, "--no-forecast", *more, stdin="yes\nno\nq\n")[0] == 0
            asked.append([event["atom"] for event in askwise.open(tmp_path / study).log if event["event"] == "ask"])
    assert asked[0] == asked[1]
    assert len(asked[0]) == 3


def test_a_cluster_is_for_pools(tmp_path, command):
    askwise.save(askwise.best_item(["tea", "milk"]), tmp_path / "drinks.askwise")
    code, _, error = command("ask", "drinks.askwise", "--cluster", "tcp://127.0.0.1:9")
    assert (code, "a cluster has nothing to do" in error) == (2, True)


# ---------------------------------------------------------------------- refusals


def test_a_pool_that_changed_is_refused(tmp_path):
    path = write_pool(tmp_path / "rows.parquet", points(500))
    session = classifier(path, seed=1, draws=50)
    text = session.to_json()
    write_pool(path, points(500, seed=9))
    with pytest.raises(DataError, match="has changed since the study was made; put it back, or start a new study"):
        from_json(text)
    path.unlink()
    with pytest.raises(DataError, match="is not there any more"):
        from_json(text)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"features": ["name"]}, "column 'name' of the pool holds string; its features are x0, x1"),
        ({"features": ["y"]}, "column 'y' of the pool is not there; its features are x0, x1"),
        ({"missing": "impute"}, "a pool takes no feature_map, embeds and imputes nothing"),
        ({"feature_map": np.square}, "a pool takes no feature_map, embeds and imputes nothing"),
    ],
)
def test_what_a_pool_cannot_do_is_refused(tmp_path, options, sentence):
    path = write_pool(tmp_path / "rows.parquet", points(50, columns=2))
    with pytest.raises((DataError, SettingError), match=sentence):
        classifier(path, **options)


def test_what_is_no_pool_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        classifier(str(tmp_path / "missing.parquet"))
    with pytest.raises(DataError, match="holds no Parquet file with rows"):
        classifier(tmp_path)
    (tmp_path / "broken.parquet").write_bytes(b"not a table at all")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        classifier(tmp_path)
    write_pool(tmp_path / "a.parquet", points(20, columns=2))
    write_pool(tmp_path / "broken.parquet", points(20, columns=3))
    with pytest.raises(DataError, match=r"has other columns than a\.parquet; the files of a pool must be alike"):
        classifier(tmp_path)
    (tmp_path / "broken.parquet").unlink()
    table = points(50, columns=2)
    table[10:, 1] = np.nan
    write_pool(tmp_path / "a.parquet", table)
    with pytest.raises(DataError, match="40 of 50 random rows lack a value, most in 'x1'; leave it out"):
        classifier(tmp_path)
    assert isinstance(classifier(tmp_path, features="x0", draws=50).problem.family, PooledRows)
