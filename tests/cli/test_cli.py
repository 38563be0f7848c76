"""The commands without a study; one of them as a program runs it, with a real exit code."""

import json
import subprocess
import sys
from html.parser import HTMLParser

import pytest


def test_simulate_prints_the_promised_json(run_command):
    arguments = [
        "simulate",
        "choice",
        "--items",
        "8",
        "--dim",
        "3",
        "--sigma",
        "2",
        "--rule",
        "ndbal",
        "--questions",
        "4",
        "--runs",
        "3",
        "--seed",
        "5",
        "--json",
    ]
    result, alone = (json.loads(run_command(*arguments, "--workers", workers)[1]) for workers in (2, 1))
    assert list(result) == ["task", "rule", "questions", "runs", "seed", "metrics", "cpu_ms_per_question"]
    assert (result["task"], result["rule"], result["questions"]) == ("choice", "ndbal", 4)
    assert (result["runs"], result["seed"]) == (3, 5)
    assert sorted(result["metrics"]) == ["distance_to_best", "top_item_error"]
    for curve in result["metrics"].values():
        assert [len(curve[name]) for name in ("mean", "low", "high")] == [5, 5, 5]
        assert all(
            low <= mean <= high for low, mean, high in zip(curve["low"], curve["mean"], curve["high"], strict=True)
        )
    assert result["cpu_ms_per_question"] > 0
    assert result["metrics"] == alone["metrics"]  # the same seed, the same numbers


@pytest.mark.parametrize(
    ("task", "options", "metrics"),
    [
        ("classify", ["--dim", "3", "--sigma", "4", "--learn-scale"], ["error"]),
        ("classify", ["--dim", "3", "--noise", "0.1"], ["error"]),
        ("choice", ["--items", "6", "--dim", "2", "--distance", "regret"], ["distance_to_best", "top_item_error"]),
        ("classify", ["--dim", "3", "--drift", "0.1", "--told-sigma", "9"], ["error"]),
        ("line", ["--intervals", "4", "--distance", "d_c", "--noise", "0.05"], ["diameter", "error"]),
        ("line", ["--intervals", "4", "--margin", "0.3", "--adversarial"], ["diameter", "error"]),
    ],
)
def test_simulate_takes_every_option(task, options, metrics, run_command):
    words = ["--questions", "3", "--runs", "2", "--workers", "1", "--json"]
    code, out, error = run_command("simulate", task, *words, *options)
    assert code == 0, error
    assert sorted(json.loads(out)["metrics"]) == metrics


def test_simulate_shows_people_a_table(run_command):
    code, out, _ = run_command("simulate", "line", "--questions", "3", "--runs", "2", "--workers", "1")
    assert code == 0
    assert "mean of 2 runs (68 % interval)" in out
    assert "diameter" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["line", "--rule", "best"], "there is no strategy 'best'; choose one of bald, "),
        (["line", "--rule", "eubo"], "eubo compares items"),
        (["line", "--dim", "3"], "dim means nothing to line; it is for choice, classify, "),
        (["line", "--distance", "kendall"], "the distance of a line task is d_I or d_c; got 'kendall'"),
        (["choice", "--items", "1"], "items must be at least 2, got 1"),
        (["choice", "--sigma", "-1"], "sigma must be positive, got -1.0"),
        (["classify", "--questions", "0"], "questions and runs must be at least 1, seed at least 0"),
        (["line", "--noise", "0.6"], "noise is 0.6; expected a number of at least 0 and below 0.5"),
        (["classify", "--noise", "1.5"], "--noise must be from 0 to below 1, got 1.5"),
        (["classify", "--seed", "-1"], "seed at least 0"),
        (["classify", "--workers", "0"], "workers must be at least 1, got 0"),
        (["classify", "--cluster", "tcp://127.0.0.1:9"], "no dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (["line", "--margin", "0"], "margin must be above 0 and at most 1, got 0"),
    ],
)
def test_bad_options_get_one_sentence_and_exit_code_2(arguments, sentence, run_command):
    code, out, error = run_command("simulate", *arguments)
    assert (code, out) == (2, "")
    assert sentence in error
    assert error.count("\n") == 1


def test_an_unknown_task_or_command_is_a_usage_error(run_command):
    assert run_command("simulate", "dance")[0] == 2
    assert run_command("dance")[0] == 2


def test_version(run_command):
    assert run_command("--version")[1].startswith("askwise 0.")


def test_the_process_ends_with_the_exit_code():
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "simulate", "choice", "--items", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "askwise: items must be at least 2, got 1\n"


class Page(HTMLParser):
    """Collects the tags that are never closed, and every address that a browser would fetch."""

    def __init__(self):
        super().__init__()
        self.addresses = []
        self.rows = 0

    def handle_starttag(self, tag, attrs):
        self.rows += tag == "tr"
        if tag in ("script", "link", "img", "iframe"):
            self.addresses.append(tag)


def test_demo_finds_a_car_and_leaves_a_page(run_command, tmp_path):
    code, out, error = run_command("demo", "--seed", "1")
    assert code == 0, error
    assert "found in" in out
    assert "average diameter" not in out  # the page has the statistics
    assert "The same buyer asked at random:" in out
    assert "askwise new best-item cars.csv" in out  # how to answer yourself
    text = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert "On average over what is still plausible after" in text
    page = Page()
    page.feed(text)
    assert page.addresses == []  # nothing to fetch: the page stands alone
    assert page.rows == 1 + out.count(" undecided ")  # the head, and a row a question


def test_demo_says_when_it_cannot_write(run_command, tmp_path):
    code, _, error = run_command("demo", "--seed", "1", "-o", tmp_path / "missing" / "page.html")
    assert code == 2
    assert "cannot write" in error
