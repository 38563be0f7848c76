import numpy as np
import pytest

from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.experiments.runner import simulate
from askwise.simulate.curves import mean_curve, measure_task
from askwise.simulate.tasks import choice, classify, line


def test_before_any_answer_the_error_is_that_of_the_prior():
    """A random classifier is wrong on half of the sphere; a random taste has one item in n on top."""
    result = simulate("classify", questions=1, runs=20, dim=4, workers=1)
    assert abs(result["metrics"]["error"]["mean"][0] - 0.5) < 4 * 0.01 / np.sqrt(20) + 0.01
    result = simulate("choice", questions=1, runs=20, items=10, dim=4, workers=1)
    assert 0.8 < result["metrics"]["top_item_error"]["mean"][0] < 0.97


def test_distance_to_best_is_in_the_items_own_units():
    """Unscaled: between two points of the unit sphere, so it may pass 1 but never 2."""
    first = next(measure_task(choice(stream(0, 0, "test"), items=30, dim=10), "random", 1, 0))
    assert 1.0 < first["distance_to_best"] < 2.0
    assert first["top_item_error"] <= 1.0


def test_errors_fall_and_a_good_rule_beats_random():
    settings = {"questions": 25, "runs": 8, "dim": 5, "sigma": 5.0, "workers": 1}
    expected = simulate("classify", rule="expected", **settings)["metrics"]["error"]
    random = simulate("classify", rule="random", **settings)["metrics"]["error"]
    assert expected["mean"][-1] < 0.6 * expected["mean"][0]
    assert expected["mean"][-1] < random["low"][-1]


def test_the_line_is_settled_without_noise():
    result = simulate("line", rule="ndbal", questions=6, runs=5, intervals=8, distance="d_I", workers=1)
    assert result["metrics"]["diameter"]["mean"][-1] == pytest.approx(0.0, abs=1e-12)
    assert result["metrics"]["error"]["mean"][-1] == pytest.approx(0.0, abs=1e-12)


def test_the_interval_covers_the_mean_of_the_runs_at_its_rate():
    """A 68 % bootstrap interval of 40 runs covers the true mean about 68 % of the time."""
    rng = np.random.default_rng(11)
    curves = rng.exponential(size=(400, 40))
    covered = [mean_curve(row[:, None]) for row in curves]
    rate = np.mean([s["low"][0] <= 1.0 <= s["high"][0] for s in covered])
    assert abs(rate - 0.66) < 4 * np.sqrt(0.68 * 0.32 / 400)  # .66: a percentile interval of 40 is a little short


def test_the_learner_knows_the_scale_unless_it_learns_it():
    told, learning = (classify(stream(0, 0, "x"), sigma=3.0, learn_scale=learn).prior for learn in (False, True))
    rng = np.random.default_rng(0)
    spread = told.sample(4000, rng).structures.std()
    assert abs(spread - 3.0) < 0.1
    lengths = np.linalg.norm(learning.sample(4000, rng).structures, axis=1)
    assert lengths.max() / np.median(lengths) > 5  # a mixture over scales


def test_unknown_tasks_are_refused():
    with pytest.raises(SettingError, match="there is no task 'dance'; choose one of choice, classify, "):
        simulate("dance")


def test_noise_on_the_line_is_the_beta_of_the_learner():
    task = line(stream(0, 0, "x"), intervals=4, noise=0.1)
    assert task.problem.beta == pytest.approx(np.log(9))
    assert task.prior.beta == task.problem.beta
