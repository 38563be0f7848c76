"""What is computed between two answers, each thing at most once: draws, diameter, estimate, the reason to stop, and the
next question."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from askwise._runtime.streams import stream
from askwise._runtime.threads import one_thread
from askwise.distances import form_of
from askwise.errors import NothingToAsk, SettingError
from askwise.posteriors import LearnsLoss, asked_atoms
from askwise.session.answerers import Answerer, rank_answerers
from askwise.session.beliefs import Beliefs
from askwise.session.config import NO_LIMITS, SessionConfig
from askwise.session.effects import Effects
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.events import NUMBER, Event, ask_event, match_response
from askwise.session.people import person_asked, place_of_person
from askwise.session.plates import ChosenPlate, Plates, choose_plate, questions_cost, remaining_plates
from askwise.stopping import EVERY_QUESTION_ASKED, StopReason
from askwise.stopping.certificate import Certificate, CertifiedModel, Estimate, Objection, certify, estimate
from askwise.stopping.outlook import Outlook, outlook
from askwise.strategies import candidates_for, rule_for
from askwise.strategies.baselines import random
from askwise.strategies.batches import (
    Resampled,
    Scenario,
    extend_scenarios,
    has_enough_draws,
    initial_scenarios,
    per_cost,
    score_scenarios,
)
from askwise.strategies.candidate_sets import greedy_sets, lists_all
from askwise.strategies.expected import expected
from askwise.strategies.screening import SURVIVING_ROWS, screen
from askwise.strategies.split import average_diameter
from askwise.strategies.splitting import Splitting, estimate_splitting
from askwise.structures import AsksPeople, PooledRows, ProposesAtoms, ShowsSets, prompt
from askwise.types import Answer, Atom, Atoms, Floats, Response, Sample, Scored

Value = TypeVar("Value")
Eligible = Callable[[list[Atom], Atom], bool]  # the atoms of the open questions, a candidate -> may it join them?
MAX_PREPARED_RESPONSES = 10  # to one question: what follows the others is computed when they come
POSED = Scored(np.zeros(1), {"posed": True})  # a question that no strategy chose


class _Once(Generic[Value]):
    """An attribute that is computed when it is first read, with one BLAS thread.

    Unlike `functools.cached_property` of Python 3.11 it lets threads compute the rounds of one session side by side.
    """

    def __init__(self, compute: Callable[[Any], Value]):
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, round: Any, owner: type) -> Value:
        value = one_thread(self.compute)(round)
        round.__dict__[self.compute.__name__] = value  # which is what the next reader finds
        return value


class Round:
    """Beliefs under one configuration, and what follows from them. Threads may compute several rounds at once.

    `number` says how often the answers in force or the goal have changed. An undo raises it too, so no two rounds of a
    session share a number.
    """

    def __init__(self, config: SessionConfig, beliefs: Beliefs):
        self.beliefs = beliefs
        _, self.posterior, self.reliability = beliefs.latest
        learned = self.posterior.learned_loss if isinstance(self.posterior, LearnsLoss) else None
        self.config = config if learned is None else config.with_loss(learned)
        self.number = beliefs.revision + config.changes
        self.prepared_question: tuple[int, Event] | None = None  # for that position in the log
        self.prepared_reason: StopReason | None = None  # to stop
        self.audit: dict[str, Any] = {}  # of the screening that found the candidates
        self._cache: dict[Hashable, Any] = {}
        self._imagined: tuple[list[str], list[Scenario]] = [], []  # open questions, and what they may bring

    def with_answers(self, answers: Mapping[str, tuple[int, Answer]]) -> Round:
        """The same round, with all that was computed, where somebody else gave the same answers."""
        same = copy(self)
        same.beliefs = replace(self.beliefs, told=answers)
        return same

    def after(self, log: EventLog, valid: ValidEvent) -> Round:
        """The round after an answer that may come, with its question, draws and estimate. `log` goes on with it."""
        assert valid.answer is not None
        log.append(valid)
        after = Round(self.config, self.beliefs.tell(valid.event["question"], valid.answer))
        after.prepared_reason = after.reason(log)
        if after.prepared_reason is None and not log.open_ids:
            after.prepared_question = len(log.events), after.choose(log)
        after.estimate, after.diameter  # noqa: B018  computed here, shown later
        return after

    def reweighed(self, answers: Sequence[Answer]) -> Round | None:
        """The same posterior, with draws reweighed by more answers, to choose a question in a hurry; None if too few
        draws would count."""
        problem, (structures, weights, *_) = self.config.problem, self.sample
        for answer in answers:
            predictions = problem.family.predict(structures, asked_atoms(self.posterior, [answer]))
            trust = self.reliability.get(answer.who or "", 1.0)
            weights = weights * problem.likelihood(predictions, answer.response)[:, 0] ** trust
        if not has_enough_draws(weights):
            return None
        found, sample = Round(self.config, self.beliefs), self.sample._replace(weights=weights / weights.sum())
        vars(found).update(sample=sample, posterior=Resampled(sample))  # a strategy that draws more knows the answers
        return found

    @property
    def answers(self) -> list[Answer]:
        """The answers in force, in the order they came."""
        return [answer for _, answer in self.beliefs.told.values()]

    @_Once
    def sample(self) -> Sample:
        """Draws of the posterior, shared by scoring, stopping and the estimate."""
        return self.posterior.sample(self.config.draws, stream(self.config.seed, self.number, "sample"))

    @_Once
    def diameter(self) -> float:
        """The mean distance of two structures that are still plausible."""
        form = form_of(self.config.problem.distance, self.sample.structures)
        return average_diameter(form, self.sample.weights, self.sample.exact)

    @_Once
    def estimate(self) -> Estimate:
        """What is closest on average to what is still plausible."""
        structure, distance = estimate(self.config.problem, self.sample)
        return Estimate(self.config.describe(structure), structure, distance)

    @_Once
    def objection(self) -> Objection | None:
        """What speaks against the model, if anything does."""
        check, rng = self.config.model_check, stream(self.config.seed, self.number, "model check")
        return None if check is None else check(self.answers, self.posterior, rng)

    @_Once
    def certified(self) -> tuple[Certificate, CertifiedModel]:
        """The certificate and what it is about: the less certain one, if a model check names another model."""
        models, objection = [CertifiedModel(self.config.problem, self.posterior, self.answers)], self.objection
        if objection is not None and objection.other is not None:
            models.append(objection.other)
        found = []
        for problem, posterior, answers in models:
            rng = stream(self.config.seed, self.number, "certificate")
            found.append(
                certify(problem, posterior, self.estimate, answers, rng, self.config.closeness, self.reliability)
            )
        worst = max(range(len(found)), key=lambda place: found[place].expected_distance)
        return replace(found[worst], objection=objection and objection.sentence), models[worst]

    @property
    def certificate(self) -> Certificate:
        """What may be claimed about the estimate."""
        return self.certified[0]

    @_Once
    def effects(self) -> Effects:
        """What each column of the table does to the scores."""
        if self.config.effects is None:
            raise SettingError(
                "there are no effects to show: only preferences and labels about a table with columns (at most 1,000, "
                "counting levels) have them"
            )
        return self.config.effects(self.sample)

    def splitting(self, log: EventLog, epsilon: float) -> Splitting:
        """How well random questions split what is still plausible."""
        config, number = self.config, len(log.ask_events) + 1
        count = candidates_for(config.rule, config.candidates, number)
        rng = stream(config.seed, self.number, "splitting")
        atoms, twice = (config.problem.family.draw_atoms(times * count, rng) for times in (1, 2))
        # families with few atoms give all of them, and a pool some rows that stand for all
        listed = len(twice) == len(atoms) and not isinstance(config.problem.family, PooledRows)
        state = config.problem, self.sample, atoms, rng
        return estimate_splitting(*state, listed=listed, candidates=count, round=number, epsilon=epsilon)

    @_Once
    def stop_reason(self) -> StopReason | None:
        """What the stopping rule says, whether or not questions are left."""
        config, rng = self.config, stream(self.config.seed, self.number, "stop")
        if config.stop is None:
            return None
        state = config.problem, self.posterior, self.sample, len(self.beliefs.told)
        reason = config.stop(*state, self.number + 1, rng)
        return reason if reason is None or isinstance(reason, StopReason) else StopReason(reason, "settled")

    def reason(self, log: EventLog) -> StopReason | None:
        """Why it is time to stop, or None."""
        if self.stop_reason is not None:
            return self.stop_reason
        if not log.open_ids and not len(self.fresh_atoms(log)):
            return EVERY_QUESTION_ASKED
        return None if self.config.cost_limits == NO_LIMITS else self.cost_reason(log)

    def cost_reason(self, log: EventLog) -> StopReason | None:
        """That the answers have cost enough or that no question is worth its cost, or None."""
        limits, problem = self.config.cost_limits, self.config.problem
        if limits.max_cost is not None:
            asked = [np.asarray(answer.atom) for answer in self.answers]
            reason = limits.spent(questions_cost(problem.family, np.stack(asked)) if asked else 0.0)
            if reason is not None:
                return reason
        if limits.min_gain_per_cost is None:
            return None
        place = "costs", len(log.ask_events), frozenset(log.open_ids)
        if place not in self._cache:
            self._cache[place] = limits.gained(one_thread(self._best_gain_per_cost)(log))
        found: StopReason | None = self._cache[place]
        return found

    def _best_gain_per_cost(self, log: EventLog) -> float:
        """What the best question, open or new, is expected to remove of the diameter for each unit of its cost."""
        open_atoms = [np.asarray(log.ask_events[id]["atom"])[None] for id in log.open_questions()]
        atoms = np.concatenate([*open_atoms, np.asarray(self.fresh_atoms(log))])
        rng = stream(self.config.seed, len(log.ask_events), "costs")
        gains = expected(self.config.problem, self.posterior, self.sample, atoms, rng).gain
        return float(per_cost(self.config.problem, gains, atoms).max(initial=0.0))

    @one_thread
    def answerers(self, log: EventLog, costs: Mapping[str, float]) -> list[Answerer]:
        """Who may answer the next question, who gains most per unit of cost first."""
        state = self.config.problem, self.posterior, self.sample, self.fresh_atoms(log), self.reliability
        return rank_answerers(*state, costs, stream(self.config.seed, self.number, "whom"))

    @one_thread
    def best_plate(self, log: EventLog, plates: Plates) -> ChosenPlate:
        """The plate that gains most per unit of cost, without the questions that were asked before."""
        config, number = self.config, len(log.ask_events)
        state = config.problem, self.posterior, self.sample
        left = remaining_plates(plates, log.unavailable_atoms(config.repeat))
        found = choose_plate(*state, left, config.rule, lambda name: stream(config.seed, number, name))
        reason = None if config.rule is random else config.cost_limits.gained(found.gain_per_cost)
        if reason is not None:
            raise NothingToAsk(f"{reason.replace('question', 'plate', 1)}; take the estimate as it is")
        return found

    def choose(self, log: EventLog, eligible: Eligible | None = None, who: str | None = None) -> Event:
        """The question that adds most to those open, as an event to record; with `who`, of those for this person."""
        ready = self.prepared_question
        if (
            ready is not None
            and ready[0] == len(log.events)
            and eligible is None
            and who in (None, ready[1].get("who"))
        ):
            return ready[1]
        # the strategy random asks the same whatever the answers to open questions will be
        scenarios = [] if self.config.rule is random or not log.open_ids else self._scenarios(log)
        return self.best(log, 1, eligible, scenarios, who=who)[0]

    @one_thread
    def best(
        self,
        log: EventLog,
        count: int,
        eligible: Eligible | None = None,
        scenarios: Sequence[Scenario] = (),
        *,
        who: str | None = None,
        everybody: bool = False,
    ) -> list[Event]:
        """The questions that the strategy prefers, the best first, each as if it were the next one asked.

        With `scenarios`, on average over what the open questions may bring; without, as if none were open. Where a
        family asks people, `who` asks for those of one person, and `everybody` for so many of each.
        """
        config, number = self.config, len(log.ask_events)
        atoms = self.fresh_atoms(log, eligible)
        place = None if who is None else place_of_person(config.problem.family, log, who)
        if place is not None and not (np.asarray(atoms)[:, 0] == place).any():  # their last questions are too recent
            atoms = self._untaken(log, log.unavailable_atoms(config.repeat))
        if not len(atoms):
            rest = "" if eligible is None else " or is not eligible"
            raise NothingToAsk(
                f"every candidate question was asked or skipped{rest}; undo one, or take the estimate as it is"
            )
        rule = rule_for(config.rule, number + 1)
        if scenarios:
            scored = score_scenarios(
                rule, config.problem, scenarios, atoms, lambda: stream(config.seed, number, "rule")
            )
        else:
            scored = rule(config.problem, self.posterior, self.sample, atoms, stream(config.seed, number, "rule"))
        scored = scored._replace(info={**scored.info, **self.audit})
        gains = per_cost(config.problem, scored.gain, atoms)
        if who is not None or everybody:
            return self._best_of_people(log, count, (atoms, gains, scored), place, who)
        best = [int(np.argmax(gains))] if count == 1 else np.argsort(-gains, kind="stable")[:count].tolist()
        return [self.pose(log, atoms[i], scored, i) for i in best]

    def _best_of_people(
        self, log: EventLog, count: int, found: tuple[Atoms, Floats, Scored], place: int | None, who: str | None
    ) -> list[Event]:
        """So many questions of the person of that place and name, or of each person; the best of all comes first. If
        the best one asks somebody else, those of one person say so."""
        atoms, gains, scored = found
        order = np.argsort(-gains, kind="stable")
        places = np.asarray(atoms)[order, 0]
        if place is None:
            ranks = [np.flatnonzero(places == each)[:count] for each in np.unique(places)]
            return [self.pose(log, atoms[order[i]], scored, order[i]) for i in np.sort(np.concatenate(ranks))]
        if not (places == place).any():
            raise NothingToAsk(f"{who} was asked every candidate question; ask somebody else")
        if places[0] != place:
            rather = person_asked(self.config.problem.family, log, atoms[order[0]])
            scored = scored._replace(info={**scored.info, "rather": rather})
        return [self.pose(log, atoms[i], scored, i, who) for i in order[places == place][:count]]

    def likely(self, event: Event) -> list[Response]:
        """The likeliest responses to a question, best first; none where any number may be answered."""
        if event["kind"] == NUMBER:
            return []
        problem, codes = self.config.problem, dict(event["codes"])
        predictions = problem.family.predict(self.sample.structures, np.asarray(event["atom"])[None])
        chances = problem.chances(predictions)[:, :, 0] @ self.sample.weights
        by_code = dict(zip(list(problem.family.responses(predictions)), chances.tolist(), strict=True))
        by_response = {response: by_code[codes[response]] for response in event["responses"]}
        return sorted(by_response, key=by_response.__getitem__, reverse=True)[:MAX_PREPARED_RESPONSES]

    def outlooks(self, event: Event) -> list[Outlook]:
        """What each answer to a question would settle, and how likely it is."""
        found = outlook(self.config.problem, self.sample, np.asarray(event["atom"]), self.config.describe)
        named = {match_response(event, one).code: one for one in event["responses"]} if event["codes"] else {}
        return [replace(one, response=named.get(one.response, one.response)) for one in found]

    def pose(self, log: EventLog, atom: Any, scored: Scored = POSED, place: int = 0, who: str | None = None) -> Event:
        """The question about an atom, as an event to record."""
        number, family = len(log.ask_events), self.config.problem.family
        shown = prompt(family, atom, stream(self.config.seed, number, "show"))
        if who is None and isinstance(family, AsksPeople):
            who = person_asked(family, log, atom)
        return ask_event(f"q{number + 1}", atom, shown, scored, place, who)

    def fresh_atoms(self, log: EventLog, eligible: Eligible | None = None) -> Atoms:
        """Candidates that may be asked."""
        taken = log.unavailable_atoms(self.config.repeat)
        place = "fresh", len(log.ask_events), frozenset(taken)  # needed to stop, and again to choose
        if place not in self._cache:
            gaps = range(self.config.spacing if self.config.repeat else 0, -1, -1)  # as many as there are questions for
            for gap in gaps:
                self._cache[place] = one_thread(self._untaken)(log, taken | log.last_atoms(gap))
                if len(self._cache[place]):
                    break
        atoms = self._cache[place]
        if eligible is None:
            return atoms
        waiting = [log.ask_events[id]["atom"] for id in log.open_questions()]
        return atoms[np.array([eligible(waiting, atom) for atom in np.asarray(atoms).tolist()], dtype=bool)]

    def _untaken(self, log: EventLog, taken: set[Any]) -> Atoms:
        atoms = self._candidates(log, taken)
        if not taken or not len(atoms):
            return atoms
        rows = np.asarray(atoms)
        found = _as_bytes(np.concatenate([np.array(list(taken), dtype=rows.dtype), rows]))
        known = set(found[: len(taken)])
        return atoms[np.array([row not in known for row in found[len(taken) :]], dtype=bool)]

    def _candidates(self, log: EventLog, taken: set[Any]) -> Atoms:
        """What the family draws; of a pool on disk, what its screening leaves, once a round while that is enough."""
        family, number = self.config.problem.family, len(log.ask_events) + 1
        count = candidates_for(self.config.rule, self.config.candidates, number)
        if not isinstance(family, PooledRows) or count < SURVIVING_ROWS:  # a branch in a hurry does without
            drawn = family.draw_atoms(count, stream(self.config.seed, len(log.ask_events), "atoms"))
            if self.config.rule is random or not isinstance(family, ProposesAtoms | ShowsSets):
                return drawn
            if isinstance(family, ProposesAtoms):
                proposed = family.propose_atoms(self.sample.structures, count // 2)
            elif lists_all(family, drawn):
                return drawn
            else:
                rng = stream(self.config.seed, len(log.ask_events), "sets")
                proposed = greedy_sets(self.config.problem, self.sample, count, rng)
            return np.unique(np.concatenate([drawn, proposed]), axis=0) if len(proposed) else drawn
        told = set() if self.config.repeat else {int(answer.atom) for answer in self.answers}
        name, masked = (f"screening {len(log.events)}", taken) if len(taken) >= count else ("screening", told)
        if name not in self._cache:
            config, revision = self.config, self.beliefs.revision
            state = config.problem, config.rule, self.posterior, self.sample, masked, config.seed, revision
            self._cache[name], self.audit = screen(*state, survivors=config.candidates)
        return self._cache[name]

    @one_thread
    def _scenarios(self, log: EventLog) -> list[Scenario]:
        """What the open questions may bring. A batch that grows goes on from what was imagined."""
        ids, order, seed = log.open_questions(), list(log.ask_events), self.config.seed
        known, scenarios = self._imagined
        if known != ids[: len(known)]:
            known, scenarios = [], []
        if not known:
            scenarios = initial_scenarios(self.posterior, self.sample, stream(seed, self.beliefs.revision, "truths"))
        for id in ids[len(known) :]:
            rng = stream(seed, order.index(id), "imagined")
            scenarios = extend_scenarios(self.config.problem, scenarios, log.ask_events[id]["atom"], rng)
        self._imagined = ids, scenarios
        return scenarios


def _as_bytes(rows: Atoms) -> list[bytes]:
    """Each row as bytes, which are looked up in a set much faster than tuples."""
    whole, size = rows.tobytes(), rows[:1].nbytes
    return [whole[start : start + size] for start in range(0, len(whole), size)]
