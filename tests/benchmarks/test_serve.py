"""Two real servers on a real PostgreSQL, in short: killed and taking turns, they refuse, lose and double nothing."""

from __future__ import annotations

import asyncio

import pytest

from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from benchmarks.serve import __main__ as serve
from benchmarks.serve.people import Line
from tests.web.test_sharing import study_at


def test_people_alternate_between_two_servers_of_which_one_is_killed(server):
    given = "--servers 2 --alternate --kills 1 --people 8 --seconds 12 --think 0.1 0.5 --option=--workers=1"
    found = serve.run(serve.parser().parse_args([*given.split(), "--store", server]))
    assert (found["refused"], found["lost"], found["doubled"]) == (0, 0, 0), found["refusals"]
    assert found["answers"] > 0
    assert found["retries"] > 0  # somebody was at the server that was killed


def test_lost_and_doubled_answers_are_counted(tmp_path):
    place = str(tmp_path / "cars.askwise")
    study_at(place, pooled=True)
    store = Store.at(Address.of(place))
    person = invite(store, store.record(), "Ann").participant
    assert serve.count(store, [(person, "a-key-that-is-not-there")], pooled=True) == (0, 1, 0, 0.0)
    store.close()


@pytest.mark.parametrize(("alternate", "ports"), [(False, [1, 1, 1]), (True, [2, 1, 2])])
def test_people_stay_with_a_server_or_take_turns(alternate, ports):
    line, used = Line((1, 2), 0, alternate), []

    async def exchange(port, whole):
        used.append(port)
        return 200, b"{}"

    line._exchange = exchange

    async def three():
        for _ in range(3):
            await line.sent("GET", "/")

    asyncio.run(three())
    assert used == ports


def test_a_line_that_the_server_ended_is_opened_again_without_a_pause():
    """As servers do with lines that rest: whoever then waited a moment would measure their own pause."""

    async def reply(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    async def twice():
        async with await asyncio.start_server(reply, "127.0.0.1", 0) as server:
            line = Line(server.sockets[0].getsockname()[1:], 0, False)
            for _ in range(2):
                assert await line.sent("GET", "/") == {}
                await asyncio.sleep(0.05)  # until the end is heard
            line.close()
            return line.retries

    assert asyncio.run(twice()) == 0
