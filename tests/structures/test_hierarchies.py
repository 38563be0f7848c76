"""Trees: all of them and random ones, which item of three they leave out, and how they are written."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from askwise.errors import DataError, SettingError
from askwise.structures.hierarchies import (
    Hierarchies,
    all_trees,
    clades,
    from_nested,
    nested,
    newick,
    random_trees,
    triples_at,
)
from askwise.testing import check_family
from tests.helpers import chi_square, generator


def left_out_by_clades(tree, triple):
    """The smallest clade with exactly two of three items says which one is left out."""
    for clade in sorted(clades(tree), key=len):
        held = [item in clade for item in triple]
        if sum(held) == 2:
            return held.index(False)
    raise AssertionError("no clade tells the three apart")


@pytest.mark.parametrize(("items", "count"), [(3, 3), (4, 15), (5, 105), (6, 945)])
def test_every_tree_is_listed_once(items, count):
    assert len({clades(tree) for tree in all_trees(items)}) == len(all_trees(items)) == count


@pytest.mark.parametrize("items", [3, 5, 9, 40])
def test_the_item_left_out(items):
    family, rng = Hierarchies(items), generator(40, items)
    trees = random_trees(6, items, rng)
    atoms = family.draw_atoms(60, rng)[-60:]
    expected = [[left_out_by_clades(tree, triple) for triple in atoms.tolist()] for tree in trees]
    assert family.predict(trees, atoms).tolist() == expected


def test_random_trees_are_uniform():
    place = {clades(tree): row for row, tree in enumerate(all_trees(5))}
    drawn = random_trees(20_000, 5, generator(41))
    counts = np.bincount([place[clades(tree)] for tree in drawn], minlength=105)
    assert chi_square(counts, np.ones(105)) > 1e-4


def test_answers_tell_all_trees_apart():
    answers = Hierarchies(5).answers(all_trees(5), triples_at(np.arange(10), 5))
    assert len(np.unique(answers, axis=0)) == 105


def test_check_family():
    check_family(Hierarchies(7), random_trees(9, 7, generator(42)))
    check_family(Hierarchies(40), random_trees(5, 40, generator(43)))


@pytest.mark.parametrize("size", [3, 4, 11, 60])
def test_triples_in_order(size):
    found = triples_at(np.arange(comb(size, 3)), size)
    assert sorted(map(tuple, found.tolist())) == list(combinations(range(size), 3))


def test_many_triples_are_sampled():
    atoms = Hierarchies(60).draw_atoms(300, generator(44))
    assert atoms.shape == (300, 3)
    assert (np.diff(atoms, axis=1) > 0).all()
    assert len({tuple(atom) for atom in atoms.tolist()}) == 300


def test_written_and_read_again():
    names = [f"n{i}" for i in range(12)]
    for tree in random_trees(20, 12, generator(45)):
        again = from_nested(nested(tree, names), names)
        assert clades(again) == clades(tree)
        assert newick(again, names) == newick(tree, names)


def test_newick_tells_trees_apart_and_quotes():
    assert len({newick(tree, "abcde") for tree in all_trees(5)}) == 105
    assert newick(np.array([2, 2, -1]), ["it's", "a b"]) == "('it''s','a b');"


def test_a_very_deep_tree_is_written():
    items = 3000
    tree = np.full(2 * items - 1, -1)
    tree[:2] = items
    tree[2:items] = np.arange(items + 1, 2 * items - 1)
    tree[items:-1] = np.arange(items + 1, 2 * items - 1)
    assert newick(tree, [str(i) for i in range(items)]).count("(") == items - 1


def test_prompt_names_the_one_left_out():
    family = Hierarchies(4, names=["cat", "dog", "eel", "cod"], images=["c.png", None, None, None])
    firsts = set()
    for trial in range(40):
        shown = family.prompt([0, 2, 3], generator(46, trial))
        firsts.add(shown.options[0].name)
        assert shown.codes == {"cat": 0, "eel": 1, "cod": 2}
        assert shown.responses == tuple(option.name for option in shown.options)
        assert {option.name: option.image for option in shown.options}["cat"] == "c.png"
    assert firsts == {"cat", "eel", "cod"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((3, ["a", "b"]), "there are 2 names for 3 items"),
        ((3, None, ["x"]), "there are 1 images for 3 items"),
        ((3, ["cat", "dog", "Cat "]), "two items are called 'cat'"),
    ],
)
def test_refuses(arguments, sentence):
    with pytest.raises(DataError, match=sentence):
        Hierarchies(*arguments)


@pytest.mark.parametrize("count", [2, 3.5])
def test_refuses_fewer_than_three_items(count):
    with pytest.raises(SettingError, match=f"the number of items is {count}; expected a whole number of at least 3"):
        Hierarchies(count)


@pytest.mark.parametrize("lists", [["a", "b"], [["a", "b"], "d"], [["a", "a"], "b"], [["a", "b"], ["c", "c"]], ["a"]])
def test_refuses_lists_that_are_no_tree_of_the_names(lists):
    with pytest.raises(DataError):
        from_nested(lists, ["a", "b", "c"])


def test_refuses_to_list_too_many_trees():
    with pytest.raises(SettingError, match="listed for 2 to 8 items, got 9"):
        all_trees(9)


def test_refuses_parents_that_are_no_tree():
    with pytest.raises(DataError, match="not a binary tree"):
        nested(np.array([3, 3, 3, 3, -1]), ["a", "b", "c"])
