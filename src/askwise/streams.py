"""Named random streams, so that a log of answers replays to the same next question: bit for bit on the same kind of
machine, with the same versions of what computes."""

from __future__ import annotations

from zlib import crc32

from numpy.random import PCG64DXSM, Generator, SeedSequence


def stream(seed: int, turn: int, purpose: str) -> Generator:
    """A generator of its own for each (seed, turn, purpose): nobody else's draws can move it.

    >>> float(stream(7, 3, "atoms").random()) == float(stream(7, 3, "atoms").random())
    True
    >>> float(stream(7, 3, "atoms").random()) == float(stream(7, 3, "sample").random())
    False
    """
    return Generator(PCG64DXSM(SeedSequence([seed, turn, crc32(purpose.encode())])))
