"""The distinct answers so far, in the few coordinates of each shape that they inform.

Scores of a shape are F u with u ~ N(0, I). An answer depends on one difference of scores; its row says how that
difference depends on the coordinates. Answers that point in a new direction give a shape a coordinate (Cholesky, row by
row); others are combinations of those before.

Where people may prefer a side, whatever stands there, each person's bias is one more independent score: an answer
depends on the difference of scores and on the bias, for or against the item that stood left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from scipy.linalg import blas, solve_triangular

from askwise.errors import AnswerError
from askwise.posteriors.scores.evidence import checked_answers
from askwise.posteriors.scores.shape_points import PAIRS, AnswerLayout, Answers
from askwise.structures import LinearFamily, ShowsSets
from askwise.types import Answer, Floats, Ints

NEW_DIRECTION = 1e-5  # share of an answer's variance outside the span of those before, to count as a new coordinate
NO_SIDE = np.zeros(2, dtype=int)  # of an answer about more than two items


class LinearScoreFamily(LinearFamily, Protocol):
    """A family whose prediction for an atom is one score: its features times a structure."""

    def predict(self, structures: Any, atoms: Any) -> Floats: ...  # (S, A)


@dataclass(frozen=True)
class ShapeFactors:
    """The family of the questions, and what each of H shapes expects of scores (M,)."""

    family: LinearScoreFamily
    factors: tuple[Floats, ...]  # (M, D) of each shape
    means: Floats  # (H, M): before any answer
    sets: ShowsSets | None = None  # where questions are about more items than two: `family` compares two of them
    short: dict[int, tuple[Floats, bool]] = field(default_factory=dict, init=False, compare=False, repr=False)
    # the factors in 32 bits, for draws, and whether they are lower triangular; made when needed

    def covariance_column(self, shape: int, feature: Floats) -> Floats:
        """(M,): how all scores vary with the difference of scores of an answer."""
        factor, some = self.factors[shape], np.flatnonzero(feature)  # few, where each row has a score of its own
        return np.asarray(factor @ (feature[some] @ factor[some]))

    def scores(self, shape: int, noise: Floats) -> Floats:
        """(S, D) -> (S, M), in 32 bits: draws of scores around their mean before any answer, at scale 1, from standard
        normal noise, which is overwritten.

        >>> known = ShapeFactors(None, (np.array([[1.0, 0.0], [0.5, 2.0]]),), np.zeros((1, 2)))
        >>> known.scores(0, np.array([[1.0, 1.0]], np.float32)).tolist()
        [[1.0, 2.5]]
        """
        if shape not in self.short:
            factor, size = self.factors[shape].astype(np.float32), self.factors[shape].shape
            dense = isinstance(factor, np.ndarray)  # those of contexts are sparse
            triangular = dense and size[0] == size[1] and not np.triu(factor, 1).any()
            self.short[shape] = np.asfortranarray(factor) if dense else factor, triangular
        factor, triangular = self.short[shape]
        if triangular and len(noise):
            return np.asarray(blas.strmm(1.0, factor, noise.T, lower=1, overwrite_b=1).T)
        return np.asarray(noise @ factor.T)


@dataclass(frozen=True)
class AnswerCoordinates:
    """T distinct answers, and where they stand in the coordinates of each shape."""

    answers: Answers
    atoms: Any  # (T, ...)
    pivots: Ints  # (H, R): the answers that gave each shape its coordinates; -1 beyond its rank
    bias: float = 0.0  # the standard deviation of a person's bias to a side, in prior scales; 0: there is none
    sides: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=int))  # (T, 2) with a bias: for which side of
    # the score the left one stands (1, -1; 0: not known), and the place of who answered
    people: Any = field(default_factory=lambda: np.zeros(0, dtype=str))  # (P,): their names

    @staticmethod
    def empty(
        shapes: int,
        ties: float,
        lapses: Floats,
        lapse_weights: Floats,
        cuts: Floats | None = None,
        layout: AnswerLayout = PAIRS,
    ) -> AnswerCoordinates:
        """No answers yet."""
        none = np.zeros(0)
        rows, offsets = np.zeros((shapes, 0, 0)), np.zeros((shapes, 0))
        answers = Answers(rows, offsets, none, none.astype(bool), none, ties, lapses, np.log(lapse_weights))
        answers = replace(answers, layout=layout, cuts=answers.cuts if cuts is None else cuts)
        return AnswerCoordinates(answers, np.zeros((0, 0), dtype=int), np.zeros((shapes, 0), dtype=int))

    def emptied(self, bias: float) -> AnswerCoordinates:
        """Without any answer, for people with a bias."""
        known = self.answers
        empty = AnswerCoordinates.empty(len(self.pivots), known.ties, known.lapses, np.ones(1), known.cuts)
        return replace(empty, answers=replace(empty.answers, log_lapse_prior=known.log_lapse_prior), bias=bias)

    def __len__(self) -> int:
        return len(self.answers.signs)

    def own_pivots(self, shape: int) -> Ints:
        """(R',): the answers that gave a shape its coordinates."""
        return self.pivots[shape][self.pivots[shape] >= 0]

    def lower(self, shape: int) -> Floats:
        """(R', R'), triangular: the rows of those answers."""
        pivots = self.own_pivots(shape)
        return np.asarray(self.answers.rows[shape][pivots][:, : len(pivots)])

    def without_strengths(self) -> AnswerCoordinates:
        """The same answers, none of which counts."""
        return replace(self, answers=replace(self.answers, strengths=np.zeros(len(self))))

    def extended(self, known: ShapeFactors, answers: Sequence[Answer], strengths: Floats) -> AnswerCoordinates:
        """With more answers, each distinct one once; equal ones add up their `strengths`."""
        if known.sets is not None:
            return self._extended_by_sets(known, known.sets, answers, strengths)
        features, responses = checked_answers(known.family, answers)
        atoms = np.asarray([answer.atom for answer in answers])
        before = self.atoms if len(self) else np.zeros((0, *atoms.shape[1:]), dtype=atoms.dtype)
        codes, people = self.answers.codes, self.people
        sides = np.zeros((len(answers), 2), dtype=int)
        if self.bias:
            names = [answer.who or "" for answer in answers]
            people = np.array(list(dict.fromkeys([*people.tolist(), *names])))
            places = {name: place for place, name in enumerate(people.tolist())}
            sides = np.array([(answer.left, places[name]) for answer, name in zip(answers, names, strict=True)])
        known_sides = self.sides if self.bias else np.zeros((len(self), 2), dtype=int)
        found = {(before[t].tobytes(), codes[t], *known_sides[t].tolist()): t for t in range(len(self))}
        total = list(self.answers.strengths)
        fresh: list[int] = []
        for place, (atom, response) in enumerate(zip(atoms.astype(before.dtype), responses, strict=True)):
            if not features[place].any():
                continue  # a score of 0 whatever is true: nothing is learned
            key = atom.tobytes(), float(response), *sides[place].tolist()
            if key not in found:
                found[key] = len(total)
                total.append(0.0)
                fresh.append(place)
            total[found[key]] += strengths[place]
        grown = replace(self, answers=replace(self.answers, strengths=np.array(total)[: len(self)]), people=people)
        for place, strength in zip(fresh, total[len(self) :], strict=True):
            row = atoms[place], features[place], float(responses[place]), strength, sides[place]
            grown = grown._with_row(known, *row)
        return grown

    def bias_covariance(self, pivots: Ints, left: int, person: int) -> Floats:
        """(R',): what the bias adds to the covariance of those answers with another of this person, at scale 1."""
        same = self.sides[pivots, 1] == person
        return np.asarray(self.bias**2 * left * self.sides[pivots, 0] * same)

    def _extended_by_sets(
        self, known: ShapeFactors, sets: ShowsSets, answers: Sequence[Answer], strengths: Floats
    ) -> AnswerCoordinates:
        """The same where an answer is about more items than two, and has several rows."""
        layout = self.answers.layout
        grown, size = self, layout.rows
        found = {self.atoms[t : t + size].tobytes(): t for t in range(0, len(self), size)}
        for answer, strength in zip(answers, strengths.tolist(), strict=True):
            if answer.response not in range(layout.responses):
                expected = f"a number from 0 to {layout.responses - 1}"
                raise AnswerError(f"the response is {answer.response!r}; expected {expected}")
            atoms = sets.differences(answer.atom, answer.response)
            start = found.setdefault(atoms.tobytes(), len(grown))
            if start == len(grown):
                for atom, feature in zip(atoms, known.family.features(atoms[: layout.shown - 1]), strict=False):
                    grown = grown._with_row(known, atom, feature, 1.0, 0.0, NO_SIDE)
                grown = grown._with_differences(atoms[layout.shown - 1 :])
            total = grown.answers.strengths.copy()
            total[start : start + size] += strength
            grown = replace(grown, answers=replace(grown.answers, strengths=total))
        return grown

    def _with_differences(self, atoms: Any) -> AnswerCoordinates:
        """With rows for pairs (i, j) of items of which the last rows are the pairs (first, i) and (first, j)."""
        answers, last = self.answers, self.answers.layout.shown - 1
        place = {item: len(self) - last + t for t, item in enumerate(self.atoms[-last:, 1].tolist())}
        left, right = ([place[item] for item in column] for column in atoms.T.tolist())
        count = len(atoms)
        grown = replace(
            answers,
            rows=np.concatenate([answers.rows, answers.rows[:, right] - answers.rows[:, left]], axis=1),
            offsets=np.concatenate([answers.offsets, answers.offsets[:, right] - answers.offsets[:, left]], axis=1),
            signs=np.append(answers.signs, np.ones(count)),
            tied=np.append(answers.tied, np.zeros(count, dtype=bool)),
            strengths=np.append(answers.strengths, np.zeros(count)),
        )
        return replace(self, answers=grown, atoms=np.concatenate([self.atoms, atoms]))

    def _with_row(
        self, known: ShapeFactors, atom: Any, feature: Floats, response: float, strength: float, side: Ints
    ) -> AnswerCoordinates:
        """One more distinct answer."""
        answers, (shapes, count, rank) = self.answers, self.answers.rows.shape
        rows, new = np.zeros((shapes, rank)), np.zeros(shapes)
        ranks = (self.pivots >= 0).sum(axis=1)
        for h in range(shapes):
            column = known.covariance_column(h, feature)
            variance = float(column @ feature) + (self.bias * side[0]) ** 2
            if ranks[h]:
                across = known.family.predict(column[None], self.atoms[self.own_pivots(h)])[0]
                if self.bias:
                    across = across + self.bias_covariance(self.own_pivots(h), *side.tolist())
                rows[h, : ranks[h]] = solve_triangular(self.lower(h), across, lower=True, check_finite=False)
            left = variance - float(rows[h] @ rows[h])
            new[h] = np.sqrt(left) if left > NEW_DIRECTION * variance else 0.0
        wider = max(rank, int((ranks + (new > 0)).max()))
        whole = np.zeros((shapes, count + 1, wider))
        whole[:, :count, :rank], whole[:, count, :rank] = answers.rows, rows
        pivots = np.full((shapes, wider), -1)
        pivots[:, :rank] = self.pivots
        for h in np.flatnonzero(new > 0).tolist():
            whole[h, count, ranks[h]] = new[h]
            pivots[h, ranks[h]] = count
        grown = replace(
            answers, rows=whole, offsets=np.column_stack([answers.offsets, known.means @ feature]),
            signs=np.append(answers.signs, np.sign(response) or 1.0), tied=np.append(answers.tied, response == 0),
            strengths=np.append(answers.strengths, strength),
        )  # fmt: skip
        if answers.cuts.size:
            grown = replace(grown, levels=np.append(answers.levels, int(abs(response))))
        atoms = np.concatenate([self.atoms.reshape(count, *np.shape(atom)), np.asarray(atom)[None]])
        sides = np.vstack([self.sides, side]) if self.bias else self.sides
        return replace(self, answers=grown, atoms=atoms, pivots=pivots, sides=sides)
