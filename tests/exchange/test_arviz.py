"""ArviZ reads the draws and the answers that count."""

from __future__ import annotations

import os
import sys
import warnings

import pytest

from askwise.errors import SettingError
from askwise.exchange.answers import answers_table
from askwise.exchange.arviz import to_netcdf
from askwise.exchange.draws import draws_table
from tests.exchange.sessions import SESSIONS, answer_questions


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its next version
        return pytest.importorskip("arviz", reason="NOT RUN: ArviZ is missing; pip install 'askwise[arviz]'")


@pytest.mark.parametrize("answers", [0, 4])
@pytest.mark.parametrize("goal", SESSIONS)
def test_arviz_reads_the_draws(goal, answers, arviz, tmp_path):
    session = answer_questions(SESSIONS[goal](), answers)
    to_netcdf(session, tmp_path / "draws.nc", 40)
    assert os.listdir(tmp_path) == ["draws.nc"]
    data = arviz.from_netcdf(tmp_path / "draws.nc")
    assert data.attrs["goal"] == session.recipe["goal"]
    assert data.attrs["inference_library"] == "askwise"
    for name, column in draws_table(session, 40).items():
        variable, _, place = name.rstrip("]").partition("[")
        values = data.posterior[variable]
        assert values.dims[:2] == ("chain", "draw")
        names = dict(zip(values.dims[2:], place.split(" x "), strict=False))
        assert values.sel(names).to_numpy()[0].tolist() == column
    written = answers_table(session)
    assert data.observed_data["answer"].to_numpy().tolist() == written["question"]
    assert list(map(str, data.observed_data["response"].to_numpy().tolist())) == list(map(str, written["response"]))
    stats = session.posterior.diagnostics()
    assert {name: float(data.sample_stats[name]) for name in stats} == pytest.approx(dict(stats))


def test_only_answers_in_force_are_observed(eventful_session, arviz, tmp_path):
    to_netcdf(eventful_session[0], tmp_path / "draws.nc", 10)
    assert arviz.from_netcdf(tmp_path / "draws.nc").observed_data["answer"].to_numpy().tolist() == ["q1", "q3"]


def test_without_arviz_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(SettingError, match=r"pip install 'askwise\[arviz\]'"):
        to_netcdf(SESSIONS["best_item"](), tmp_path / "draws.nc")
