"""Draws of the references of all scales of a shape, which together say where chains start and what the evidence is.

An answer that contradicts others may be a lapse. So a posterior can have several modes, and the Gaussian reference of
one scale can miss some of them. References of other scales may have them, in two ways. Where answers determine the
scores, all scales agree about the scores. Where they determine only their signs, all scales agree about the scores in
units of the scale, and those of small scales are wide enough for all modes. So a chain chooses its start among two
draws of each reference, one as it is and one in units of the scale, by importance weights with the balance heuristic
(Veach and Guibas 1995; Samsonov et al. 2022 combine such global moves with local ones).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.shape_points import Answers, Points
from askwise.types import Floats, Ints

if TYPE_CHECKING:
    from askwise.posteriors.scores.shape_chains import Design

THIN = 10.0  # times likelier than a reference says
WAYS = 2  # to take a draw of the reference of another scale: as it is, and in units of the scale


class ReferenceTerms(NamedTuple):
    """What the log densities of K references at M scores are made of."""

    squares: Floats  # (K, M)
    crosses: Floats  # (K, M)
    constants: Floats  # (K,)
    rank: int

    def at(self, scales: Floats) -> Floats:
        """(K, M): the log densities if coordinates are multiplied by `scales`: (K, 1), (M,) or one."""
        apart = self.squares / scales**2 - 2 * self.crosses / scales
        return self.constants[:, None] - self.rank * np.log(scales) - apart / 2


class ScaleDraws(NamedTuple):
    """M draws of scores of one shape, in the coordinates that answers inform."""

    scores: Floats  # (M, R): coordinates times the scale
    margins: Floats  # (M, T): of the answers, less what the shape expects of them before any came
    log_likelihood: Floats  # (M,)

    def joined(self, others: ScaleDraws) -> ScaleDraws:
        """These draws and the others."""
        return ScaleDraws(*(np.concatenate(parts) for parts in zip(self, others, strict=True)))

    def log_targets(self, scales: Floats) -> Floats:
        """(K, M): the log density of the posterior of each scale, not normalised."""
        sizes = np.square(self.scores).sum(axis=1)
        return self.log_likelihood - self.scores.shape[1] * np.log(scales)[:, None] - sizes / scales[:, None] ** 2 / 2


class ShapeReferences(NamedTuple):
    """The K references of one shape."""

    answers: Answers
    points: Points
    design: Design
    rank: int

    @property
    def center_margins(self) -> Floats:
        """(K, T): those of the centers, less what the shape expects of the answers before any came."""
        shape = self.answers.shapes_of(self.points)[0]
        return self.design.offsets - self.answers.offsets[shape] * self.answers.signs

    def valued(self, places: Floats, potentials: Floats, counts: Ints) -> ScaleDraws:
        """The draws at whitened places (M, R), counts[k] of each point in turn, from their potentials (M, E) there."""
        coordinates = self.design.coordinates(places, counts)[:, : self.rank].astype(float)
        margins, start = np.empty((len(places), self.design.designs.shape[2])), 0
        for own, center, count in zip(self.design.designs, self.center_margins, counts.tolist(), strict=True):
            margins[start : start + count] = places[start : start + count] @ own + center
            start += count
        joint = log_sum((self.answers.log_lapse_prior - potentials).T).astype(float)
        beyond = np.square(places[:, self.rank :]).sum(axis=1) / 2  # prior and reference are the same there
        likelihood = joint + beyond + np.square(coordinates).sum(axis=1) / 2
        return ScaleDraws(coordinates * np.repeat(self.points.scales, counts)[:, None], margins, likelihood)

    def terms(self, draws: ScaleDraws) -> ReferenceTerms:
        """What the densities of the references at the draws are made of."""
        scales, centers = self.points.scales[:, None], self.points.centers[:, : self.rank]
        precisions, margins = self.design.precisions.astype(float), self.center_margins
        weighted = precisions * margins
        squares = np.square(draws.scores).sum(axis=1) + scales**2 * (precisions @ np.square(draws.margins).T)
        crosses = centers @ draws.scores.T + scales * (weighted @ draws.margins.T)
        log_spread = np.log(np.diagonal(self.design.roots, axis1=1, axis2=2).astype(float)).sum(axis=1)
        sizes = np.square(centers).sum(axis=1) + (weighted * margins).sum(axis=1)
        return ReferenceTerms(squares, crosses, -log_spread - sizes / 2, self.rank)

    def log_proposal(self, draws: ScaleDraws, count: int) -> Floats:
        """(M,): log density of `count` draws of each reference together."""
        return log_sum(self.terms(draws).at(self.points.scales[:, None])) + np.log(count)


class Candidates(NamedTuple):
    """Where S chains may start: 2 K draws for each."""

    references: ShapeReferences
    counts: Ints  # (K,): the chains of each point
    places: Floats  # (S, 2 K, R): whitened by the reference of the chain's point; zero beyond the rank
    draws: ScaleDraws  # the same, as M = S 2 K draws
    log_weights: Floats  # (S, 2 K): for the posterior of the chain's point
    log_own: Floats  # (S, 2 K): the density of the reference of the chain's point, less that of its posterior

    @property
    def missed_shares(self) -> Floats:
        """(K,): the share of each posterior where its own reference is far too thin."""
        found, start = np.zeros(len(self.counts)), 0
        for k, count in enumerate(self.counts.tolist()):
            weights, own = self.log_weights[start : start + count].ravel(), self.log_own[start : start + count].ravel()
            total = log_sum(weights)
            thin = own + np.log(THIN) < np.log(count) - total
            found[k] = np.exp(weights - total)[thin].sum()
            start += count
        return found

    def chosen(self, rng: Generator) -> Floats:
        """(S, R): one candidate of each chain."""
        shares = np.cumsum(np.exp(self.log_weights - self.log_weights.max(axis=1)[:, None]), axis=1)
        places = (shares < (rng.random(len(shares)) * shares[:, -1])[:, None]).sum(axis=1)
        return self.places[np.arange(len(shares)), places]

    def log_proposal(self, draws: ScaleDraws) -> Floats:
        """(M,): log density of all candidates together at other draws; every point has as many chains."""
        terms, (scales, count) = self.references.terms(draws), (self.references.points.scales, self.counts[0])
        parts = [log_sum(terms.at(scale)) for scale in scales]
        parts.append(log_sum(terms.at(scales[:, None])) + np.log(len(scales)))
        return log_sum(np.array(parts)) + np.log(count)


def candidates(
    references: ShapeReferences, counts: Ints, potentials: Callable[[Floats, Ints], Floats], rng: Generator
) -> Candidates:
    """Draws of the references for counts[k] chains of each point. `potentials` gives the potentials (M, E) of whitened
    places (M, R), so many of each point in turn."""
    from askwise._runtime.normals import standard_normals  # brings numba

    points, design, rank = references.points, references.design, references.rank
    size, chains, width = len(points), int(counts.sum()), points.centers.shape[1]
    noise = standard_normals((WAYS, size, chains, rank), rng)
    drawn = noise @ design.roots[:, :rank, :rank] + design.centers[:, None, :rank]
    drawn[1] *= points.scales[:, None, None] / np.repeat(points.scales, counts)[:, None]
    coordinates = drawn.reshape(WAYS * size, chains, rank).swapaxes(0, 1)  # (S, 2 K, R)
    inverses = np.linalg.inv(design.roots[:, :rank, :rank])
    places, start = np.zeros((chains, WAYS * size, width), noise.dtype), 0
    for k, count in enumerate(counts.tolist()):
        apart = coordinates[start : start + count] - design.centers[k, :rank]
        places[start : start + count, :, :rank] = apart @ inverses[k]
        start += count
    flat, many = places.reshape(-1, width), counts * WAYS * size
    draws = references.valued(flat, potentials(flat, many), many)
    owners, terms = np.repeat(np.arange(size), many), references.terms(draws)
    own = points.scales[owners]
    in_units = terms.at(own)
    proposal = np.logaddexp(log_sum(in_units), log_sum(terms.at(points.scales[:, None])))
    target = draws.log_likelihood - np.square(draws.scores).sum(axis=1) / own**2 / 2 - rank * np.log(own)
    log_weights, log_own = target - proposal, in_units[owners, np.arange(len(own))] - target
    return Candidates(references, counts, places, draws, log_weights.reshape(chains, -1), log_own.reshape(chains, -1))
