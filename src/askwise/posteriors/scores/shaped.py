"""The posterior of scores whose shape is learned: linear, smooth, each item's own, or a mixture of these.

Scores f over items or rows have the prior N(0, scale^2 F F'), where the factor F belongs to a shape. Answers depend on
few differences of scores, with ties, grades and lapses. Shapes, scales and the cuts between grades form a grid; every
point of it keeps a Gaussian reference and its evidence by bridge sampling. Points that lose their weight are left out
and looked at again now and then. Draws of scores follow from draws of the few coordinates that answers inform
(Matheron's rule).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_triangular

from askwise.errors import SettingError
from askwise.losses import BestWorst, Davidson, Loss, OrderedLogit, Softmax, logistic
from askwise.options import number
from askwise.posteriors.scores.answer_coordinates import AnswerCoordinates, LinearScoreFamily, ShapeFactors
from askwise.posteriors.scores.cuts import CutGrid, cut_grid, mean_cuts
from askwise.posteriors.scores.kernels import Shape, pivoted_factor
from askwise.posteriors.scores.logconcave import MAX_SCALE, MIN_SCALE, systematic_counts
from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.population import POPULATION, Population, mean_covariance, scale_weights_around_one
from askwise.posteriors.scores.position import BIAS_SPREAD, AnswersSoFar
from askwise.posteriors.scores.shape_chains import Design, design_of_some, draw, real, run_pilot
from askwise.posteriors.scores.shape_points import PAIRS, AnswerLayout, Answers, Points, fit
from askwise.posteriors.scores.shape_sentence import sentence_about_shapes
from askwise.structures import ShowsSets
from askwise.types import Answer, Bools, Floats, Ints, Sample

SCALES = np.geomspace(0.5, 32.0, 7)
TYPICAL_SCALE = 3.0  # where the half-Cauchy weight of the scales has its knee: what fits real people
TYPICAL_LABEL_SCALE = 10.0  # and for labels, which are more decided: the scale that real labels have on average
LAPSES = np.array([0.005, 0.05, 0.15])
LAPSE_WEIGHTS = np.array([0.5, 0.3, 0.2])
NEGLIGIBLE_SHARE = 1e-2  # of its shape's weight, below which a point is left out until a neighbour gains weight
NEIGHBOUR_SHARE = 0.1  # above which a point's neighbours are looked at
NEIGHBOUR_CUT_SHARE = 0.3  # above which its neighbours with other cuts between grades are
WAITING = ((0.1, 1), (0.02, 2), (1e-3, 4))  # from that weight on, a shape is looked at after so many answers
EAGER_ANSWERS = 10  # up to which every shape is looked at
GROWTH = 5  # lighter ones when the answers have grown by one part in so many
FIRST_PART, GRADUAL_ANSWERS = 3, 24  # many first answers at once come in parts that double: chains then adapt to them
MIN_SAMPLED_WEIGHT = 2e-3  # of a point that is drawn from: a few chains cost as much as many
WIDER_START = 0.1  # of a fit, in the curvature of the last one: a narrow start stays in one of several modes
PILOT_DRAWS = 16  # of each point
TRAJECTORIES = 2  # that turn a draw of a reference into a draw of the posterior
SET_TRAJECTORIES = 3  # the same for answers about more than two items, whose references are not as close


@dataclass(frozen=True)
class ShapedScores:
    """Beliefs about scores in R^M.

    >>> from askwise.posteriors.scores.kernels import INDIVIDUAL
    >>> class Items:
    ...     dimension = 3
    ...     def features(self, atoms):
    ...         return np.eye(3)[atoms[:, 0]] - np.eye(3)[atoms[:, 1]]
    ...     def predict(self, structures, atoms):
    ...         return structures @ self.features(atoms).T
    >>> prior = ShapedScores.prior(Items(), logistic, [INDIVIDUAL], [np.eye(3)], np.ones(1))
    >>> rng = np.random.default_rng(0)
    >>> draws = prior.update(Answer((0, 1), 1), rng).sample(1000, rng).structures
    >>> draws.shape, bool(draws[:, 0].mean() > draws[:, 1].mean())
    ((1000, 3), True)
    """

    family: LinearScoreFamily  # whose scores are learned
    loss: Loss  # what scores pay for an answer
    beta: float  # the weight of a loss
    shapes: tuple[Shape, ...]  # the shapes that are possible
    known: ShapeFactors  # factors and means of the shapes
    log_prior: Floats  # (H, C): log prior weight of each shape and scale; (H J, C) with J sets of cuts
    scale_grid: Floats  # (C,)
    coordinates: AnswerCoordinates  # the answers so far, in coordinates of the scores
    cells: Ints  # (K,): places of the points in the grid, flat
    points: Points  # the shapes and scales that carry weight, with what sampling needs
    log_weights: Floats  # (K,): of the points, not normalised
    missed: Ints  # (H,): answers that came since a shape was last looked at
    acceptance: float = 1.0  # the share of moves that the sampler accepted
    count: int = 0  # answers
    people_before: int = 0  # whose answers the shape of the population was learned from
    cut_grid: CutGrid | None = None  # between grades; its sets of cuts multiply the shapes: row = shape + H * set
    learns_bias: bool = False  # whether people may prefer a side, once enough have answered
    so_far: AnswersSoFar = field(default_factory=AnswersSoFar)  # until then
    kinds: Ints | None = None  # (H,): shapes of one kind are looked at together; None: each is one of its own
    maps: dict[int, Floats] = field(default_factory=dict, init=False, compare=False, repr=False)  # (M, R) of shapes
    fresh: list[Design] = field(default_factory=list, init=False, compare=False, repr=False)  # one, of the last points

    @property
    def answers(self) -> Answers:
        """The distinct answers, in the coordinates of each shape."""
        return self.coordinates.answers

    @cached_property
    def sampled(self) -> tuple[Ints, Design]:
        """The points that are drawn from, those of a shape together, and what their chains need."""
        heavy = np.flatnonzero(self.weights >= MIN_SAMPLED_WEIGHT)
        order = heavy[np.argsort(self.points.shapes[heavy], kind="stable")]
        return order, design_of_some(self.answers, self.points, order, self.fresh[0] if self.fresh else None)

    def release_memory(self) -> None:
        """Forgets what is computed again when it is needed."""
        vars(self).pop("sampled", None)
        self.maps.clear()
        self.fresh.clear()

    @staticmethod
    def prior(
        family: LinearScoreFamily,
        loss: Loss,
        shapes: Sequence[Shape],
        factors: Sequence[Floats],
        weights: Floats,
        sigma: float | None = None,
        lapses: bool = True,
        means: Floats | None = None,
        population: Population | None = None,
        typical_scale: float = TYPICAL_SCALE,
        learns_bias: bool = False,
    ) -> ShapedScores:
        """Beliefs before any answer.

        `factors` (M, D), prior `weights` (H,) and `means` (H, M), by default 0, belong to the `shapes`. `sigma` fixes
        the prior scale; None learns it, and larger ones than `typical_scale` are held to be less likely. Without
        `lapses`, nobody ever answers by accident. A `population` is one more shape, whose weight grows with the number
        of people it was learned from. The cuts of an `OrderedLogit` are learned; those given only say how many they are
        and whether answers can be equal. With `learns_bias`, people may prefer the left or the right of two options.

        :param family: Whose scores are learned.
        :param loss: What scores pay for an answer.
        :param shapes: The H shapes that are possible.
        :param factors: A factor `(M, D)` of the prior covariance of each shape.
        :param weights: The prior weight of each shape, `(H,)`.
        :param sigma: The prior scale; None learns it.
        :param lapses: Whether people may answer by accident.
        :param means: The prior mean of the scores for each shape, `(H, M)`; 0 by default.
        :param population: What was learned from other people.
        :param typical_scale: Larger prior scales than this are held to be less likely.
        :param learns_bias: Whether people may prefer a side.
        """
        sets = family if isinstance(family, ShowsSets) else None
        fits = loss is logistic or isinstance(loss, Davidson | OrderedLogit)
        if not (fits if sets is None else isinstance(loss, Softmax | BestWorst)):
            raise SettingError(
                "learned shapes take the logistic, davidson or ordered loss for two items, and softmax or best_worst "
                f"for more, not {loss.name}"
            )
        scales = SCALES if sigma is None else np.array([number("sigma", sigma, at_least=MIN_SCALE, at_most=MAX_SCALE)])
        scale_weights = scales / (1 + (scales / typical_scale) ** 2)  # half-Cauchy, per unit of log scale
        lapse_grid, lapse_weights = (LAPSES, LAPSE_WEIGHTS) if lapses else (np.zeros(1), np.ones(1))
        prior_weights = np.outer(weights / np.sum(weights), scale_weights / scale_weights.sum())
        known = np.zeros((len(shapes), family.dimension)) if means is None else np.asarray(means, dtype=float)
        if population is not None:
            base = mean_covariance(prior_weights.sum(axis=1), factors)
            population = population.extended(base)
            own = pivoted_factor(population.covariance(base)) / (1.0 if sigma is None else scales[0])
            shapes, factors, known = (*shapes, POPULATION), [*factors, own], np.vstack([known, population.mean])
            around = population.weight * (scale_weights_around_one(scales) if sigma is None else np.ones(1))
            prior_weights = np.vstack([(1 - population.weight) * prior_weights, around])
        log_prior = np.log(prior_weights)
        shape, scale = np.unravel_index(np.arange(log_prior.size), log_prior.shape)
        rows, log_weights, cuts = shape, log_prior.ravel().copy(), None
        if isinstance(loss, OrderedLogit):
            cuts = cut_grid(len(loss.cuts), loss.cuts[0] > 0)
            likely = cuts.log_prior(scales)  # (J, C)
            rows = shape + len(log_prior) * likely.argmax(axis=0)[scale]  # cuts matter to nobody before an answer
            log_prior = np.concatenate([log_prior + part for part in likely])
            loss = OrderedLogit(
                mean_cuts(cuts.cuts, np.exp(log_prior).sum(axis=1).reshape(len(likely), -1).sum(axis=1))
            )
        size = len(rows)
        ties = float(loss.ties) if isinstance(loss, Davidson) else 0.0
        points = Points(
            rows, scales[scale], np.full(size, lapse_grid @ lapse_weights), np.zeros((size, 0)), np.zeros((size, 0)),
            np.zeros(size), np.full(size, 2), np.zeros(size),
        )  # fmt: skip
        asked = (family, PAIRS) if sets is None else (sets.pairs, AnswerLayout(sets.shown, sets.worst))
        graded = None if cuts is None else cuts.cuts
        empty = AnswerCoordinates.empty(len(shapes), ties, lapse_grid, lapse_weights, graded, asked[1])
        return ShapedScores(
            family, loss, 1.0, tuple(shapes), ShapeFactors(asked[0], tuple(factors), known, sets), log_prior, scales,
            empty, np.ravel_multi_index([rows, scale], log_prior.shape), points, log_weights,
            np.zeros(len(shapes), dtype=int), people_before=0 if population is None else population.people,
            cut_grid=cuts, learns_bias=learns_bias,
        )  # fmt: skip

    def update(self, answer: Answer, rng: Generator) -> ShapedScores:
        """The beliefs after one more answer."""
        return self.update_all([answer], rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> ShapedScores:
        """The beliefs after more answers: few fits and pilot runs for all of them."""
        found, left = self, list(answers)
        while left:
            part = max(FIRST_PART, found.count) if found.count < GRADUAL_ANSWERS else len(left)
            found, left = found._updated(left[:part], rng), left[part:]
        return found

    def _updated(self, answers: Sequence[Answer], rng: Generator) -> ShapedScores:
        """The beliefs after more answers: one fit and one pilot run for all of them."""
        count = self.count + len(answers)
        if self.learns_bias and not self.coordinates.bias:
            so_far = self.so_far.extended(answers)
            if so_far.suffice:
                return self._with_bias(so_far.answers, count)._weighed(len(answers), rng, None)
            return replace(self, so_far=so_far)._with_answers(answers, count)._weighed(len(answers), rng, self)
        return self._with_answers(answers, count)._weighed(len(answers), rng, self)

    def _with_answers(self, answers: Sequence[Answer], count: int) -> ShapedScores:
        grown = self.coordinates.extended(self.known, answers, np.full(len(answers), self.beta))
        return replace(self, coordinates=grown, count=count)

    def _with_bias(self, answers: Sequence[Answer], count: int) -> ShapedScores:
        """All answers in new coordinates, which have a bias of each person among them."""
        size = len(self.points)
        points = replace(self.points, centers=np.zeros((size, 0)), curvatures=np.zeros((size, 0)))
        empty, missed = self.coordinates.emptied(BIAS_SPREAD), np.full(len(self.shapes), 10**6)
        started = replace(self, coordinates=empty, points=points, missed=missed, so_far=AnswersSoFar())
        return started._with_answers(answers, count)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> ShapedScores:
        """The same answers, trusted as far as `strengths` (T,) say."""
        empty = self.coordinates.without_strengths()
        changed = empty.extended(self.known, answers, self.beta * np.asarray(strengths))
        missed = np.full(len(self.shapes), 10**6)
        return replace(self, coordinates=changed, missed=missed)._weighed(0, rng, self)

    @property
    def weights(self) -> Floats:
        """(K,): the posterior weight of each point."""
        return np.exp(self.log_weights - log_sum(self.log_weights))

    @property
    def shape_weights(self) -> Floats:
        """(H,): the posterior weight of each shape."""
        return np.bincount(self.answers.shapes_of(self.points), self.weights, len(self.shapes)).astype(float)

    @property
    def prior_shape_weights(self) -> Floats:
        """(H,): the weight of each shape before any answer."""
        return np.asarray(np.exp(self.log_prior).sum(axis=1).reshape(-1, len(self.shapes)).sum(axis=0))

    @property
    def learned_loss(self) -> Loss | None:
        """The loss with the cuts between grades that the answers make likely; None without grades."""
        return None if self.cut_grid is None else self.loss

    @property
    def biases(self) -> Mapping[str, float]:
        """What each person is expected to add to the score of the left one; nobody while no bias is allowed for."""
        found, weights = np.zeros(len(self.coordinates.people)), self.weights
        for k, shape in enumerate(self.answers.shapes_of(self.points).tolist() if len(found) else []):
            basis = self._bias_basis(shape)
            found += weights[k] * self.points.scales[k] * (self.points.centers[k, : len(basis)] @ basis)
        return dict(zip(self.coordinates.people.tolist(), found.tolist(), strict=True))

    @property
    def base_covariance(self) -> Floats:
        """(M, M): the covariance of scores that the shapes expect on average, without the population."""
        own = [place for place, shape in enumerate(self.shapes) if shape is not POPULATION]
        return mean_covariance(self.prior_shape_weights[own], [self.known.factors[place] for place in own])

    @property
    def lapse(self) -> float:
        """The expected share of answers that are lapses."""
        return float(self.weights @ self.points.lapses)

    @property
    def shape_sentence(self) -> str | None:
        """What the answers say about straight lines and curves; None where there is nothing to choose between."""
        return sentence_about_shapes(self.shapes, self.prior_shape_weights, self.shape_weights)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` independent draws of scores (M,), in random order."""
        return self.sample_with_biases(count, rng)[0]

    def sample_with_biases(self, count: int, rng: Generator) -> tuple[Sample, Mapping[str, Floats]]:
        """The same draws, and what each person adds to the score of the left one in each (S,)."""
        order, design = self.sampled
        counts = systematic_counts(self.weights[order], count, rng)
        if len(self.coordinates):
            length = TRAJECTORIES if self.answers.layout.shown == 2 else SET_TRAJECTORIES
            places = draw(self.answers, self.points.take(order), design, counts, length, rng)
            places = design.coordinates(places, counts)
        else:
            places = np.zeros((count, 0), real)
        owners = np.repeat(order, counts)
        shapes, scales = self.answers.shapes_of(self.points)[owners], self.points.scales[owners]
        structures, people = np.empty((count, self.family.dimension), real), self.coordinates.people.tolist()
        biases = np.zeros((count, len(people)), real)
        for shape in np.unique(shapes).tolist():
            mine = shapes == shape
            found = self._scores(shape, places[mine], scales[mine].astype(real)[:, None], rng)
            structures[mine], biases[mine] = found
        shuffled = rng.permutation(count)
        sample = Sample(structures[shuffled], np.full(count, 1.0 / count), exact=False)
        return sample, dict(zip(people, biases[shuffled].T, strict=True))

    def diagnostics(self) -> Mapping[str, float]:
        """How the sampler does, and what was learned about shape, scale and lapses."""
        weights, shapes = self.weights, self.shape_weights
        bent = sum(weight for shape, weight in zip(self.shapes, shapes, strict=True) if shape.bends)
        return {
            "acceptance": self.acceptance,
            "answers": float(self.count),
            "bent": float(bent),
            "lapses": self.lapse,
            "points": float(len(self.points)),
            "scale": float(np.exp(weights @ np.log(self.points.scales))),
            "steps": float(weights @ self.points.steps),
        } | ({"population": float(shapes[-1])} if self.people_before else {})

    # ------------------------------------------------------------------ inside

    def _scores(self, shape: int, places: Floats, scales: Floats, rng: Generator) -> tuple[Floats, Floats]:
        """Scores (n, M) and biases (n, P) of one shape from its coordinates; what answers do not inform keeps its
        prior."""
        free = self.known.scores(shape, self._noise(len(places), self.known.factors[shape].shape[1], rng))
        pivots = self.coordinates.own_pivots(shape)
        biases = np.zeros((len(places), len(self.coordinates.people)), real)
        if len(pivots):
            across = self.known.family.predict(free, self.coordinates.atoms[pivots])
            if self.coordinates.bias:
                left, person = self.coordinates.sides[pivots].T
                biases = rng.standard_normal(biases.shape, dtype=real) * real(self.coordinates.bias)
                across = across + left.astype(real) * biases[:, person]
            lower = self.coordinates.lower(shape).astype(real)
            whitened = solve_triangular(lower, across.T, lower=True, check_finite=False)
            informed = places[:, : len(pivots)] - whitened.T
            free += informed @ self._basis(shape, pivots).T
            if self.coordinates.bias:
                biases += informed @ self._bias_basis(shape)
        return free * scales + self.known.means[shape].astype(real), biases * scales

    def _noise(self, count: int, size: int, rng: Generator) -> Floats:
        """(S, D): standard normal numbers."""
        if not len(self.coordinates):
            return rng.standard_normal((count, size), dtype=real)  # the first question need not wait for numba
        from askwise._runtime.normals import standard_normals

        return standard_normals((count, size), rng)

    def _bias_basis(self, shape: int) -> Floats:
        """(R, P): what the coordinates of a shape mean in the biases of people."""
        pivots, people = self.coordinates.own_pivots(shape), range(len(self.coordinates.people))
        across = np.array([self.coordinates.bias_covariance(pivots, 1, person) for person in people])
        return np.asarray(solve_triangular(self.coordinates.lower(shape), across.T, lower=True)).astype(real)

    def _basis(self, shape: int, pivots: Ints) -> Floats:
        """(M, R): what the coordinates of a shape mean in scores; extended where answers have come."""
        before = self.maps.get(shape, np.zeros((self.family.dimension, 0), real))
        start, rank = before.shape[1], len(pivots)
        if start == rank:
            return before
        basis, lower = np.empty((len(before), rank), real), self.coordinates.lower(shape)
        basis[:, :start] = before
        for place, feature in enumerate(self.known.family.features(self.coordinates.atoms[pivots[start:]]), start):
            column = self.known.covariance_column(shape, feature) - basis[:, :place] @ lower[place, :place]
            basis[:, place] = column / lower[place, place]
        self.maps[shape] = basis
        return basis

    def _weighed(self, more: int, rng: Generator, before: ShapedScores | None) -> ShapedScores:
        """With references and weights of the points that matter now; `before` had the same coordinates."""
        if not len(self.coordinates):
            return self
        missed = self.missed + more
        shares = self.shape_weights
        if self.kinds is not None:
            shares = np.bincount(self.kinds, shares).astype(float)[self.kinds]
        wait = np.full(len(shares), max(WAITING[-1][1], self.count // GROWTH))
        for least, answers in reversed(WAITING):
            wait[shares >= least] = answers
        due = (missed >= wait) | (self.count <= EAGER_ANSWERS)
        due |= not due.any() and shares == shares.max()
        kept = self.points.padded(*self.answers.rows.shape[1:])
        cells, start = self._chosen_cells(due, kept)
        searched = [WIDER_START if self.answers.may_contradict(row) else 1.0 for row in start.shapes.tolist()]
        fresh, roots = fit(self.answers, replace(start, curvatures=start.curvatures * np.array(searched)[:, None]))
        pilot = run_pilot(self.answers, fresh, roots, PILOT_DRAWS, rng)
        fresh = replace(fresh, steps=pilot.steps, lapses=pilot.lapses, missed=pilot.missed)
        log_weights = self.log_prior.ravel()[cells] + pilot.log_evidence
        stays = ~due[self.answers.shapes_of(self.points)]
        # the other shapes are held to have foreseen the answers as well as these did
        shift = log_sum(log_weights) - log_sum(self.log_weights[~stays]) if stays.any() else 0.0
        points = kept.take(stays).joined(fresh)
        heavy = np.exp(log_weights - log_sum(log_weights))
        updated = replace(
            self, cells=np.append(self.cells[stays], cells), points=points,
            log_weights=np.append(self.log_weights[stays] + shift, log_weights), missed=np.where(due, 0, missed),
            acceptance=float(heavy @ pilot.accepted),
        )  # fmt: skip
        if self.cut_grid is not None:
            place = points.shapes // len(self.shapes)
            cuts = mean_cuts(
                self.cut_grid.cuts, np.bincount(place, updated.weights, len(self.cut_grid.cuts)).astype(float)
            )
            updated = replace(updated, loss=OrderedLogit(cuts, flat_beyond=19.0 + cuts[-1]))
        if before is not None:
            updated.maps.update(before.maps)
        updated.fresh.append(pilot.design)
        return updated

    def _chosen_cells(self, due: Bools, kept: Points) -> tuple[Ints, Points]:
        """The cells of due shapes with weight, their neighbours, and where their fit starts."""
        grid, shapes, count = self.log_prior.shape, self.answers.shapes_of(self.points), len(self.shapes)
        best = np.full(count, -np.inf)
        np.maximum.at(best, shapes, self.log_weights)
        share = np.exp(self.log_weights - best[shapes])
        heavy = np.flatnonzero(due[shapes] & (share > NEGLIGIBLE_SHARE))
        row, scale = np.unravel_index(self.cells[heavy], grid)
        wanted, leads = [self.cells[heavy]], share[heavy] > NEIGHBOUR_SHARE
        for side in (-1, 1):
            inside = (scale + side >= 0) & (scale + side < grid[1]) & leads
            wanted.append(np.ravel_multi_index([row[inside], scale[inside] + side], grid))
        if self.cut_grid is not None:
            leads = share[heavy] > NEIGHBOUR_CUT_SHARE
            point, cuts = np.nonzero(self.cut_grid.neighbours[row // count] & leads[:, None])
            wanted.append(np.ravel_multi_index([row[point] % count + count * cuts, scale[point]], grid))
        cells = np.unique(np.concatenate(wanted))
        row, scale = np.unravel_index(cells, grid)
        known_row, known_scale = np.unravel_index(self.cells, grid)
        apart = np.abs(scale[:, None] - known_scale) + 2 * (row[:, None] != known_row)
        apart += 1000 * (row[:, None] % count != known_row % count)
        start = kept.take(apart.argmin(axis=1))
        scales = self.scale_grid[scale]
        centers = start.centers * (start.scales / scales)[:, None]  # the same scores
        return cells, replace(start, shapes=row, scales=scales, centers=centers)
