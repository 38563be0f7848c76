"""Named random streams, so that a log of answers replays to the same next question.

On the same kind of machine, with the same versions of the numerical libraries, it is the same bit for bit.
"""

from __future__ import annotations

from zlib import crc32

from numpy.random import PCG64DXSM, Generator, SeedSequence


def stream(seed: int, revision: int, purpose: str) -> Generator:
    """A generator for each (seed, revision, purpose), independent of all others.

    `revision` counts what happened before; `purpose` names the use. Names are part of the results: keep them.

    >>> float(stream(7, 3, "atoms").random()) == float(stream(7, 3, "atoms").random())
    True
    >>> float(stream(7, 3, "atoms").random()) == float(stream(7, 3, "sample").random())
    False
    """
    return Generator(PCG64DXSM(SeedSequence([seed, revision, crc32(purpose.encode())])))
