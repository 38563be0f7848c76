"""The posterior of linear structures when no answer is wrong: the weights that agree with every answer.

The prior is uniform on the ball, so only the direction of the weights counts and all directions are alike. An answer
cuts off a half space, and what is left is a convex cone (a version space). Draws that agree with the next answer are
exact draws of what it leaves. Copies of them take the place of the others, and hit-and-run moves part the copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, ContradictionError
from askwise.posteriors.chains import by_chain
from askwise.posteriors.scores.evidence import checked_answers
from askwise.structures import LinearFamily, SingleScore
from askwise.structures.linear import unit_rows
from askwise.types import Answer, Floats, Ints, Sample

MOVES_PER_DIMENSION = 4  # of hit-and-run, between two draws of a chain
SWEEPS = 10  # over all coordinates, where answers compare two of them
MIN_SHARE_KEPT = 0.25  # of the draws, each time; a rarer answer is approached in several steps
MAX_STEPS = 200  # of them: each leaves a quarter of the volume
MIN_LENGTH = 1e-12  # of a row of features that says anything


@dataclass(frozen=True)
class VersionSpace:
    """Uniform on the weights in R^D, of length 1 at most, that agree with every answer.

    >>> from askwise.structures.linear import LinearSphere
    >>> rng = np.random.default_rng(0)
    >>> posterior = VersionSpace.prior(LinearSphere(3), chains=100).update(Answer((1.0, 0.0, 0.0), -1), rng)
    >>> bool((posterior.sample(400, rng).structures[:, 0] < 0).all())
    True
    """

    family: LinearFamily
    chains: int
    points: Floats  # (C, D), a draw for each chain; (0, D) while no answer says anything
    faces: Floats  # (F, D) of length 1: weights w have faces @ w > 0
    answer_of: Ints  # (F,): the answer that each face comes from, counted from 0
    answers: int = 0

    @staticmethod
    def prior(family: LinearFamily, chains: int) -> VersionSpace:
        """Beliefs before any answer.

        - `family`: linear scores of one or of several labels.
        - `chains`: how many draws are kept; each goes on as a chain.
        """
        empty = np.empty((0, family.dimension))
        return VersionSpace(family, chains, empty, empty, np.empty(0, dtype=int))

    def check_answer(self, answer: Answer) -> None:
        """ContradictionError if no weights agree with this answer and all earlier ones."""
        cut = faces_of(self.family, answer)
        if (self.points @ cut.T > 0).all(axis=1).any():
            return
        conflict = conflicting(self.faces, cut)
        if conflict is not None:
            others = tuple(dict.fromkeys(self.answer_of[conflict].tolist()))
            told = f"the answer {answer.response!r} contradicts earlier ones; undo one of them, or allow noise"
            raise ContradictionError(told, others)

    def update(self, answer: Answer, rng: Generator) -> VersionSpace:
        """The beliefs after one more answer; ContradictionError if no weights agree with all of them."""
        self.check_answer(answer)
        cut = faces_of(self.family, answer)
        if not len(cut):
            return replace(self, answers=self.answers + 1)
        points = self.points if len(self.points) else uniform_in_ball((self.chains, self.family.dimension), rng)
        if not (points @ cut.T > 0).all():
            points = restrict(points, self.faces, cut, rng)
        return replace(
            self,
            points=points,
            faces=np.vstack([self.faces, cut]),
            answer_of=np.append(self.answer_of, np.full(len(cut), self.answers)),
            answers=self.answers + 1,
        )

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws: independent ones before any answer, else of chains that start from the draws kept."""
        if not len(self.points):
            structures = uniform_in_ball((count, self.family.dimension), rng)
            return Sample(structures, np.full(count, 1 / count), exact=False)
        root, levels, batches = directions(self.points), np.zeros(len(self.faces)), []
        points = self.points[rng.permutation(self.chains)[:count]] if count < self.chains else self.points
        for _ in range(-(-count // len(points))):
            points = mix(points, self.faces, levels, root, rng)
            batches.append(points)
        return by_chain(batches, count)

    def diagnostics(self) -> Mapping[str, float]:
        """How many answers there are, and how many chains."""
        return {"answers": float(self.answers), "chains": float(self.chains)}


def faces_of(family: LinearFamily, answer: Answer) -> Floats:
    """(F, D): weights w agree with the answer if these rows @ w are all above 0; none if features are all zero.

    One row for a sign, K - 1 rows for one of K labels, which must beat each of the others.

    >>> from askwise.structures.multiclass import SoftmaxPool
    >>> faces_of(SoftmaxPool([[2.0]], labels="abc"), Answer(0, 1)).round(2).tolist()
    [[-0.71, 0.71, 0.0], [0.0, 0.71, -0.71]]
    """
    features, responses = checked_answers(family, [answer])
    if isinstance(family, SingleScore):
        if abs(responses[0]) != 1:
            raise AnswerError(f"the answer {answer.response!r} decides nothing; without noise, say one of -1 and 1")
        rows = responses[:, None] * features
    else:
        labels = np.eye(family.dimension // features.shape[1])
        label = int(responses[0])
        rows = np.kron(np.delete(labels[label] - labels, label, axis=0), features)
    return unit_rows(rows[np.linalg.norm(rows, axis=1) > MIN_LENGTH])


def conflicting(faces: Floats, cut: Floats) -> Ints | None:
    """The places of `faces` (F, D) that, with `cut` (G, D), leave no room; None if all leave some.

    No w has faces @ w > 0 and cut @ w > 0 if and only if a sum of these rows, none taken negatively and one of `cut`
    taken once, is zero (Gordan 1873). A vertex of the set of such sums uses a smallest set of rows: without any one of
    them there is room (Gleeson and Ryan 1990).

    >>> conflicting(np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [1.0, 0.0, 0.0]]), np.array([[-1.0, 0.0, 1.0]]))
    array([0, 1])
    """
    from scipy.optimize import linprog  # slow to import

    for place in range(len(cut)):
        rows = np.vstack([faces, np.delete(cut, place, axis=0)])
        if not len(rows):
            continue
        found = linprog(np.ones(len(rows)), A_eq=rows.T, b_eq=-cut[place], bounds=(0, None), method="highs-ds")
        if found.status == 0:
            used = np.flatnonzero(found.x > 1e-9)
            return used[used < len(faces)]
    return None


def uniform_in_ball(shape: tuple[int, int], rng: Generator) -> Floats:
    """(S, D): points of the unit ball.

    >>> bool((np.linalg.norm(uniform_in_ball((50, 3), np.random.default_rng(0)), axis=1) < 1).all())
    True
    """
    return rng.random((shape[0], 1)) ** (1 / shape[1]) * unit_rows(rng.standard_normal(shape))


def restrict(points: Floats, faces: Floats, cut: Floats, rng: Generator) -> Floats:
    """(C, D) -> (C, D): from draws of the old cone to draws of the new one, whose further faces are `cut` (G, D).

    Where fewer than a quarter of the draws agree, the cut comes closer in steps, each of which a quarter survives.
    """
    every, root = np.vstack([faces, cut]), directions(points)
    for _ in range(MAX_STEPS):
        heights = (points @ cut.T).min(axis=1)
        level = min(0.0, float(np.quantile(heights, 1 - MIN_SHARE_KEPT)))
        kept = points[heights > level] if level == 0 else points[heights >= level]
        copies = np.concatenate(
            [
                np.tile(np.arange(len(kept)), len(points) // len(kept)),
                rng.permutation(len(kept))[: len(points) % len(kept)],
            ]
        )
        levels = np.append(np.zeros(len(faces)), np.full(len(cut), level))
        points = mix(kept[copies], every, levels, root, rng)
        root = directions(points)
        if level == 0:
            return points
    raise AnswerError("the answer leaves too little room to draw from; undo it, or make a study with noise")


def directions(points: Floats) -> Floats:
    """(D, D): Gaussian vectors times this matrix have the covariance of the points.

    >>> directions(np.array([[1.0, 0.0], [3.0, 0.0]])).round(2).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    _, lengths, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    return lengths[:, None] * axes / np.sqrt(len(points))


def mix(points: Floats, faces: Floats, levels: Floats, root: Floats, rng: Generator) -> Floats:
    """Moves points (S, D) of the ball within faces @ w >= levels, until they have forgotten where they were.

    - `root`: (R, D), what `directions` of such points are.
    """
    compares_two = (np.count_nonzero(faces, axis=1) == 2) & (np.abs(faces.sum(axis=1)) < MIN_LENGTH)
    if not levels.any() and compares_two.all():
        return reorder(points, faces.argmax(axis=1), faces.argmin(axis=1), rng)
    return hit_and_run(points, faces, levels, root, rng)


def hit_and_run(points: Floats, faces: Floats, levels: Floats, root: Floats, rng: Generator) -> Floats:
    """`mix` along random lines."""
    from askwise.posteriors.scores.version_space_moves import hit_and_run_move

    points = points.copy()
    heights = points @ faces.T - levels
    for _ in range(MOVES_PER_DIMENSION * points.shape[1]):
        along = rng.standard_normal((len(points), len(root))) @ root
        hit_and_run_move(points, heights, along, along @ faces.T, rng.random(len(points)))
    return points


def reorder(points: Floats, above: Ints, below: Ints, rng: Generator) -> Floats:
    """`mix` where each answer says of two coordinates which is larger, `above` or `below` (F,): much faster.

    Given their order, coordinates are those of any point of the ball, sorted. So they are drawn afresh in this order,
    and then moved one by one, which changes the order.
    """
    from askwise.posteriors.scores.version_space_moves import coordinate_moves

    for _ in range(SWEEPS):
        fresh = np.sort(uniform_in_ball((len(points), points.shape[1]), rng), axis=1)
        order, points = np.argsort(points, axis=1), np.empty_like(points)
        np.put_along_axis(points, order, fresh, axis=1)
        coordinate_moves(points, above, below, rng.random(points.shape))
    return points
