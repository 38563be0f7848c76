"""Images: which bytes are one, and how they get into the page."""

from __future__ import annotations

from base64 import b64decode

import pytest

import askwise
from askwise.report.images import data_url, image_urls, media_type
from askwise.storage.address import Address
from askwise.storage.store import Store

SVG = b'<?xml version="1.0"?>\n<!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0....", "image/jpeg"),
        (b"GIF87a..", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x00\x00\x00\x1cftypavif....", "image/avif"),
        (SVG, "image/svg+xml"),
        (b"\xef\xbb\xbf  <svg/>", "image/svg+xml"),
        (b"<html><svg></svg></html>", None),
        (b"<?xml version='1.0'?><html/>", None),
        (b"%PDF-1.7", None),
        (b"PNG", None),
        (b"", None),
    ],
)
def test_by_their_first_bytes(content, kind):
    assert media_type(content) == kind
    address = data_url(content)
    assert (address is None) == (kind is None)
    if address is not None:
        assert address.startswith(f"data:{kind};base64,")
        assert b64decode(address.split(",", 1)[1]) == content


def test_looked_up_in_the_study(tmp_path):
    table = {"name": ["a", "b", "c"], "image": ["a.gif", "b.txt", "missing.png"], "size": [1.0, 2.0, 3.0]}
    session = askwise.best_item(table)
    Store.create(Address.of(tmp_path / "x.askwise"), session.recipe, {"a.gif": b"GIF89a", "b.txt": b"words"})
    look_up = image_urls(askwise.open(tmp_path / "x.askwise"))
    assert look_up("a.gif") == "data:image/gif;base64,R0lGODlh"
    assert [look_up(name) for name in ("b.txt", "missing.png", None)] == [None] * 3
    assert image_urls(session)("a.gif") is None  # not in a study: the page must not depend on files elsewhere
