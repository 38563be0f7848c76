"""People who are simulated for a study in the background. The last ones stand until new ones are there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from askwise.simulate.forecaster import next_runs_due
from askwise.simulate.runs import SimulatedRun

logger = logging.getLogger("askwise.web")


class SimulatedRuns:
    """The runs there are, and the task that makes others."""

    def __init__(self) -> None:
        self.runs: list[SimulatedRun] = []
        self._people_before = 0  # when people were last simulated
        self._task: asyncio.Task[None] | None = None

    def is_due(self, people_before: int) -> bool:
        """Whether to simulate people who start from so many others: nobody was yet, or many have come since."""
        return self._task is None or (self._task.done() and next_runs_due(people_before, self._people_before))

    def start(
        self,
        simulated: Coroutine[Any, Any, tuple[int, list[SimulatedRun]]],
        people_before: int,
        changed: Callable[[], None],
    ) -> None:
        """Has people simulated in the background, and then says that something changed. A failure changes nothing."""

        async def wait() -> None:
            try:
                _, self.runs = await simulated
            except Exception as error:
                logger.error("people could not be simulated: %s", type(error).__name__)
            changed()

        self._people_before, self._task = people_before, asyncio.create_task(wait())
