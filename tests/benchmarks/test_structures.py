"""The verdicts on all structures, from made-up results."""

from __future__ import annotations

from benchmarks.structures import AIMS, PARTS, judge

COLUMNS = {"minus_expected": {"variance": {"250": (0.05, 0.01)}}, "cpu_ms_per_question": {"expected": 21.0}}
FAIR = {"violation": {"fair_minus_plain": 0.001}, "error": {"fair_minus_plain": 0.01}}
CLUSTERS = {"rules": {"random": {"excess": [0.1, 0.3], "excess_se": [0.1, 0.2]}}}
TREES = {"rules": {"expected": {"minus_random": [-0.2], "minus_random_standard_error": [0.05]}}}


def test_every_part_has_an_aim():
    assert {aim.part for aim in AIMS} == set(PARTS)


def test_verdicts():
    everything = {"best_column": COLUMNS, "fair_classifier": FAIR, "cluster_of": CLUSTERS, "hierarchy": TREES}
    met = [(row["part"], row["met"]) for row in judge(everything)]
    assert met == [
        ("cluster_of", False),  # ahead by one and a half standard errors only
        ("hierarchy", True),
        ("best_column", True),
        ("best_column", False),  # a millisecond too slow
        ("fair_classifier", False),
        ("fair_classifier", True),
    ]
    assert [row["part"] for row in judge({"hierarchy": TREES})] == ["hierarchy"]
