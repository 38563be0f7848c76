"""The paper's bounds as functions: how many questions, atoms and structures its statements allow or require.

Most functions give a `Bound`: what the paper prints, and what its proof gives once its slips are corrected. Where a
statement gives only an order, `printed` has 1 for the hidden constant, and `corrected` is a number for which the proof
goes through. Logarithms of an index are to base 2, all others natural. Counts are rounded up. The graph dimension,
which the Bayesian theorems need, is searched for by `graph_dimension` or known.
"""

from askwise.theory.base import Bound, Index
from askwise.theory.bounds import (
    Resources,
    bayes_resources,
    error_bound,
    log_odds_bound,
    noisy_rate,
    noisy_resources,
    posterior_distance,
    select_pairs,
    select_threshold,
    stopping_pairs,
    zero_one_resources,
)
from askwise.theory.dimension import (
    GraphDimension,
    clustering_dimension,
    graph_dimension,
    line_dimension,
    linear_dimension,
    log_patterns,
    version_space_mass,
)
from askwise.theory.splitting import (
    LowerBound,
    average_index,
    cluster_index,
    coarse_average_index,
    coarse_index,
    expected_split,
    hard_line,
    lower_bound,
    ranking_index,
    splitting_lower_bound,
    star_bound,
)

__all__ = [
    "Bound",
    "GraphDimension",
    "Index",
    "LowerBound",
    "Resources",
    "average_index",
    "bayes_resources",
    "cluster_index",
    "clustering_dimension",
    "coarse_average_index",
    "coarse_index",
    "error_bound",
    "expected_split",
    "graph_dimension",
    "hard_line",
    "line_dimension",
    "linear_dimension",
    "log_odds_bound",
    "log_patterns",
    "lower_bound",
    "noisy_rate",
    "noisy_resources",
    "posterior_distance",
    "ranking_index",
    "select_pairs",
    "select_threshold",
    "splitting_lower_bound",
    "star_bound",
    "stopping_pairs",
    "version_space_mass",
    "zero_one_resources",
]
