"""What the command says: no password, no markup swallowed, no option that is not there."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import askwise
from askwise.cli import to_cli_names
from askwise.cli.serve import studies_by_goal
from askwise.web.learner.learner import Learner
from askwise.web.studies import ServedStudies

TABLE = "name,price,mpg\n" + "".join(f"car {i},{5 + 2.3 * i % 17:.2f},{20 + 7 * i % 11}\n" for i in range(8))


@pytest.fixture
def cars(tmp_path):
    (tmp_path / "cars.csv").write_text(TABLE, encoding="utf-8")
    return "cars.csv"


def test_the_demo_needs_no_extra(run_command, monkeypatch):
    from askwise.simulate.demo import CarBuyer

    short = CarBuyer.session
    monkeypatch.setattr(CarBuyer, "session", lambda self, rule, budget: short(self, rule, 2))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, _ = run_command("demo")
    assert code == 0
    assert "open demo.html" in out


@pytest.mark.parametrize("module", ["uvicorn", "fastapi"])
def test_a_server_without_its_extra(module, tmp_path):
    askwise.save(askwise.best_item(["a", "b"], draws=8), tmp_path / "x.askwise")
    code = f"import sys; sys.modules[{module!r}] = None; from askwise.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", "x.askwise"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"askwise: serving needs {module}; install it with: pip install 'askwise[web]'\n"


def test_pictures_that_cannot_be_drawn_are_refused_before_the_work(run_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr("askwise.experiments.reproduce.sweep", lambda *_, **__: pytest.fail("it computed first"))
    for figure in ("figure1", "intervals", "theory"):
        code, _, error = run_command("reproduce", "--quick", figure)
        assert code == 2
        assert "pictures need Matplotlib; install it with: pip install 'askwise[plots]'" in error


def test_names_are_neither_markup_nor_control_sequences(run_command, tmp_path):
    names = ["[bold]a[/bold]", "[/nothing]", "b\x1b[2Jc", "two\nlines"]
    askwise.save(askwise.best_item(names, draws=16, epsilon=0.9), tmp_path / "x.askwise")
    code, out, error = run_command("ask", "x.askwise", stdin="w\nleft\nleft\nleft\n")
    assert (code, error) == (0, "")
    assert "\x1b" not in out
    assert "two lines" in out or "b?[2Jc" in out or "[bold]a[/bold]" in out
    for command in (["status", "x.askwise"], ["next", "x.askwise", "--count", 3]):
        assert "\x1b" not in run_command(*command)[1]


SECRETS = ("s3cret", "s%40cret", "s@cret", "t0psecret")
HIDDEN = [
    "postgresql://ann:s3cret@127.0.0.1:1/lab#x",
    "postgresql://ann:s%40cret@127.0.0.1:1/lab#x",
    "postgresql://ann@127.0.0.1:1/lab?password=t0psecret#x",
    "postgres://ann:s3cret@127.0.0.1:1/lab?password=t0psecret&connect_timeout=1",
    "postgresql://ann:s3cret@127.0.0.1:port/lab#x",
]


@pytest.mark.parametrize("address", HIDDEN)
def test_a_refusal_shows_no_password(address, run_command, cars, tmp_path):
    askwise.save(askwise.best_item(["a", "b"]), tmp_path / "y.askwise")
    for arguments in (
        ["ask", address],
        ["serve", address],
        ["status", address],
        ["report", address],
        ["plan", address],
        ["next", address],
        ["goal", address, "ranking"],
        ["tell", address, "--from", cars],
        ["export", address, "-o", "x.csv"],
        ["copy", address, "z.askwise"],
        ["copy", "y.askwise", address],
        ["new", "best-item", cars, "--store", address],
        ["status", "y.askwise", address],
    ):
        code, out, error = run_command(*arguments)
        assert code == 2, arguments
        assert not any(secret in out + error for secret in SECRETS), (arguments, error)
        assert error.count("\n") == 1


def test_success_shows_no_password(run_command, cars, database, tmp_path):
    """What is printed to go on with can be typed; the password is left to PGPASSWORD."""
    with_secrets = f"{database.replace('@', ':s3cret@')}?password=t0psecret"
    study = f"{with_secrets}#cars"
    bare = f"{database}#cars"
    said = [run_command("new", "best-item", cars, "--store", with_secrets)]
    said += [run_command("new", "best-item", cars, "--store", with_secrets, "-o", "b", "--json")]
    said += [run_command("next", study, "-o", "q.csv"), run_command("goal", study, "ranking")]
    said += [run_command("ask", study, stdin="q\n"), run_command("report", study)]
    said += [run_command("copy", study, f"{with_secrets}#other")]
    assert [code for code, _, _ in said] == [0] * len(said)
    assert not any(secret in out + error for _, out, error in said for secret in SECRETS)
    for number, command in ((0, "ask"), (2, "tell"), (3, "ask"), (4, "ask")):
        assert f"askwise {command} {bare} (with the password in PGPASSWORD)" in said[number][1].replace("'", "")
    assert not any(secret in path.name for path in tmp_path.iterdir() for secret in SECRETS)
    assert (tmp_path / "cars.html").exists()


def test_what_is_printed_can_be_typed(run_command, cars):
    code, out, _ = run_command("new", "best-item", cars, "-o", "my cars.askwise")
    assert code == 0
    assert "askwise ask 'my cars.askwise'" in out
    assert "askwise ask 'my cars.askwise'" in run_command("ask", "my cars.askwise", stdin="q\n")[1]
    assert (
        "askwise tell 'my cars.askwise' --from 'my q.csv'"
        in (run_command("next", "my cars.askwise", "-o", "my q.csv")[1])
    )


def test_export_has_an_output_like_the_others(run_command, cars):
    run_command("new", "best-item", cars)
    assert run_command("export", "cars.askwise", "-o", "a.csv")[:2] == (0, "Wrote a.csv\n")
    assert run_command("export", "cars.askwise", "--output", "a.json")[:2] == (0, "Wrote a.json\n")
    for wrong in ([], ["a.csv", "-o", "b.csv"]):
        code, _, error = run_command("export", "cars.askwise", *wrong)
        assert (code, error) == (2, "askwise: give one file to write, for example --output answers.csv\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["new", "best-item", "cars.csv", "--epsilon", "2"], "epsilon is 2.0; expected a number above 0 and at most 1"),
        (
            ["new", "best-item", "cars.csv", "--epsilon", "1e-320"],
            "epsilon is 1e-320; expected a number of at least 1e-300",
        ),
        (["new", "best-item", "cars.csv", "--delta", "nan"], "delta is nan; expected a number"),
        (["new", "best-item", "cars.csv", "--prior-scale", "inf"], "--prior-scale is inf; expected a number"),
        (["new", "best-item", "cars.csv", "--budget", "0"], "budget is 0; expected a whole number of at least 1"),
        (["new", "best-item", "cars.csv", "--budget", "1e400"], "invalid value for '--budget'"),
        (["new", "best-item", "cars.csv", "--seed", "-1"], "seed is -1; expected a whole number from 0 to"),
        (["new", "best-item", "cars.csv", "-o", ""], "is no file; give one such as cars.askwise"),
        (["new", "best-item", "cars.csv", "--instructions", "none"], "there is no file none with instructions"),
        (["new", "best-item", "cars.csv", "--features", "y" * 5000], "features names the column"),
        (["new", "top-k", "cars.csv", "--k", "8"], "k is 8; expected a whole number from 1 to 7"),
        (["new", "clusters", "cars.csv", "--noise", "inf"], "noise is inf; expected a number"),
        (["new", "best-column", "cars.csv"], "all 16 entries of the matrix are known, so there is nothing to ask"),
        (["new", "best-column", "cars.csv", "--rank", "1" + "0" * 400], "rank is 1000000000"),
        (["new", "classifier", "cars.csv", "--labels", "a"], "a classifier needs two different labels, got ['a']"),
        (["new", "best-item", "cars.csv", "--image-column", "zz"], "there is no column 'zz' for the pictures"),
        (["next", "x.askwise", "--count", "0"], "invalid value for '--count'"),
        (["plan", "x.askwise", "--workers", "0"], "invalid value for '--workers': expected at least 1; see"),
        (["plan", "x.askwise", "--people", "many"], "invalid value for '--people': expected a whole number; see"),
        (["new", "best-item", "cars.csv", "--epsilon", "small"], "'--epsilon': expected a number; see"),
        (["plan", "x.askwise", "--seconds", "nan"], "invalid value for '--seconds'"),
        (["plan", "x.askwise", "--seconds", "inf"], "invalid value for '--seconds'"),
        (["serve", "studies/"], "there is no folder studies/; make it with: mkdir studies/"),
        (["serve", "x.askwise", "--workers", "0"], "invalid value for '--workers'"),
        (["export", "x.askwise", "-o", "d.csv", "--count", "1" + "0" * 30], "invalid value for '--count'"),
        (["simulate", "choice", "--sigma", "inf"], "--sigma or --told-sigma is inf; expected a number"),
        (["simulate", "choice", "--items", "1" + "0" * 400], "invalid value for '--items'"),
        (["simulate", "line", "--runs", "1" + "0" * 400], "invalid value for '--runs'"),
        (["serve", "x.askwise", "--host", ""], "an empty --host is no address"),
        (["serve", "x.askwise", "--host", "x" * 300], "cannot listen on"),
        (["reproduce", "--workers", "0"], "invalid value for '--workers'"),
        (
            ["goal", "x.askwise", "best-item", "--epsilon", "1e-320"],
            "epsilon is 1e-320; expected a number of at least 1e-300",
        ),
        (["status"], "missing argument 'FILE'; see askwise status --help"),
        (["status", "x.askwise", "--loud"], "no such option: --loud"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_options_are_one_sentence(arguments, sentence, run_command, cars, tmp_path):
    askwise.save(askwise.best_item(["a", "b", "c"], draws=16), tmp_path / "x.askwise")
    code, out, error = run_command(*arguments)
    assert (code, out) == (2, "")
    assert sentence in error
    assert error.count("\n") == 1
    assert len(error) < 700
    assert [path.name for path in tmp_path.glob("*.askwise")] == ["x.askwise"]
    assert len(askwise.open("x.askwise").log) == 0


def test_options_are_named_as_they_are_typed():
    assert to_cli_names("leave the column out with features=") == "leave the column out with --features"
    assert to_cli_names("choose it with image=") == "choose it with --image-column"


def test_undo_takes_back_ones_own_answer(run_command, tmp_path):
    askwise.save(askwise.best_item(["a", "b", "c", "d"], draws=16, epsilon=0.001), tmp_path / "x.askwise")
    assert run_command("ask", "x.askwise", "--who", "Ann", stdin="left\n")[0] == 0
    assert run_command("ask", "x.askwise", "--who", "Ben", stdin="right\n")[0] == 0
    assert run_command("ask", "x.askwise", "--who", "Ann", stdin="u\n")[0] == 0
    assert [answer.who for answer in askwise.open("x.askwise").answers] == ["Ben"]
    code, _, error = run_command("ask", "x.askwise", "--who", "Ann", stdin="u\n")
    assert code == 2
    assert "nothing to undo" in error
    assert json.loads(run_command("status", "x.askwise", "--json")[1])["answers"] == 1


def test_a_damaged_study_in_a_folder_does_not_stop_the_others(tmp_path, capsys):
    askwise.save(askwise.best_item(["a", "b"]), tmp_path / "whole.askwise")
    (tmp_path / "torn.askwise").write_bytes(b"not a study")
    studies = ServedStudies(str(tmp_path), Learner(1))
    assert list(dict(studies_by_goal(studies))) == ["best_item"]
    studies.close()
    error = capsys.readouterr().err
    assert error.startswith(f"Not served: {tmp_path}/torn.askwise is not a study, or it is damaged;")
    assert error.count("\n") == 1
