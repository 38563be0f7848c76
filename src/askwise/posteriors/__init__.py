"""What we believe after some answers: the Posterior protocol.

One implementation a file, imported from there (``from askwise.posteriors.logconcave import LogConcave``), so that this
package stays light. A posterior never changes: ``update`` returns the next one, ``sample`` leaves no trace. Everything
random comes from the generator that is passed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from numpy.random import Generator

from askwise.types import Answer, Sample


class Drawn(Protocol):
    """What can be drawn from: all that a rule needs."""

    def sample(self, count: int, rng: Generator) -> Sample: ...


class Posterior(Drawn, Protocol):
    """Beliefs about a structure, as something that can be drawn from and told answers.

    The draws of a sample are independent of each other and of those of any other sample. Where they are not, because
    they come from chains that go on, `Sample.chains` says which chain each came from: what counts draws (the test that
    stops a session, certificates) asks for it, and pairs draws of different chains.
    """

    def update(self, answer: Answer, rng: Generator) -> Posterior: ...
    def diagnostics(self) -> Mapping[str, float]: ...  # effective sample size, acceptance, ...
