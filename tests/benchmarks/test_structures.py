"""The verdicts on all structures, from made-up results."""

from __future__ import annotations

from benchmarks.structures import PARTS, TARGETS, judge

COLUMNS = {"minus_expected": {"variance": {"250": (0.05, 0.01)}}, "cpu_ms_per_question": {"expected": 21.0}}
MATRIX = {"minus_ndbal": {"random": {"120": (0.004, 0.001)}}}
FAIR = {"violation": {"fair_minus_plain": 0.001}, "error": {"fair_minus_plain": 0.01}}
CLUSTERS = {
    "rules": {"expected": {"mean": [0.3, 0.06]}, "qbc": {"mean": [0.4, 0.10]}},
    "speed": {"200": {"question_ms": 11.0}, "500": {"question_ms": 31.0}},
}
TREES = {"rules": {"expected": {"ratio_to_random": [0.5, 0.6]}}, "speed": {"100": {"question_ms": 29.0}}}
ERRORS = {
    "rules": {
        "expected": {"ratio_to_random": [0.6, 0.4, 0.3], "milliseconds": 12.0},
        "qbc": {"excess": [0.0, 0.03, 0.0], "excess_standard_error": [0.1, 0.01, 0.1]},
    }
}


def test_every_benchmark_has_a_target():
    assert {target.part for target in TARGETS} == set(PARTS)


def test_a_target_is_met_up_to_its_limit():
    everything = {
        "matrix": MATRIX,
        "best_column": COLUMNS,
        "fair_classifier": FAIR,
        "cluster_of": CLUSTERS,
        "hierarchy": TREES,
    }
    met = [(row["part"], row["met"]) for row in judge(everything)]
    assert met == [
        ("cluster_of", True),
        ("cluster_of", False),  # more than half of qbc's
        ("cluster_of", True),
        ("cluster_of", False),  # a millisecond too slow
        ("hierarchy", True),
        ("hierarchy", True),
        ("best_column", True),
        ("best_column", False),  # a millisecond too slow
        ("matrix", True),
        ("fair_classifier", False),
        ("fair_classifier", True),
    ]
    assert [row["part"] for row in judge({"hierarchy": TREES})] == ["hierarchy"] * 2
    assert [row["met"] for row in judge({"segments": ERRORS})] == [False, True, True]
    assert [row["met"] for row in judge({"top_ranking": ERRORS})] == [True, True]
