"""Files are what their content says, and what is missing, too large or no picture is refused in one sentence."""

from __future__ import annotations

import pytest

from askwise import DataError
from askwise.data import media
from askwise.data.encoding import encode
from askwise.data.files import read
from askwise.data.media import Folder, media_type, read_media
from tests.media import PNG, wav

MP4 = b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"


@pytest.mark.parametrize(
    ("content", "types"),
    [
        (PNG, ("image/png", None, None)),
        (wav(), (None, "audio/wav", None)),
        (MP4, (None, "audio/mp4", "video/mp4")),
        (b"\x00\x00\x00\x14ftypqt  ", (None, "audio/mp4", "video/quicktime")),
        (b"\x00\x00\x00\x20ftypavif....", ("image/avif", None, None)),
        (b"ID3\x04\x00", (None, "audio/mpeg", None)),
        (b"\xff\xfb\x90\x64", (None, "audio/mpeg", None)),
        (b"\xff\xf1\x50\x80", (None, "audio/aac", None)),
        (b"fLaC\x00", (None, "audio/flac", None)),
        (b"OggS\x00", (None, "audio/ogg", "video/ogg")),
        (b"\x1aE\xdf\xa3\x01", (None, "audio/webm", "video/webm")),
        (b"\xff\xd8\xff\xe0", ("image/jpeg", None, None)),
        (b"<html><script>", (None, None, None)),
        (b"MZ\x90\x00", (None, None, None)),
        (b"", (None, None, None)),
    ],
)
def test_content_tells_the_type(content, types):
    assert tuple(media_type(content, kind) for kind in ("image", "audio", "video")) == types


def sentence(folder, kind, *names):
    with pytest.raises(DataError) as refused:
        read_media(Folder(folder), {"file": list(names)}, {kind: "file"})
    return str(refused.value)


def test_what_cannot_be_shown_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.mp3").write_bytes(b"MZ...")
    (tmp_path / "a.wav").write_bytes(wav())
    (tmp_path / "b.wav").write_bytes(wav())
    assert "a.mp3 in column 'file' is none of the sounds that browsers show; expected MP3" in sentence(
        tmp_path, "audio", "a.mp3"
    )
    assert "names films that are not in" in sentence(tmp_path, "video", "none.mp4")
    assert "choose another column with audio=" in sentence(tmp_path, "audio", "x" * 5000)
    told = sentence(tmp_path, "audio", "a.wav", "https://example.org/a.mp3")
    assert "column 'file' names a web address in row 2; expected a file" in told
    monkeypatch.setitem(media.MAX_MEDIA_MB, "audio", 0)
    assert "sounds may have 0 MB each and 500 MB together; a.wav is too much" in sentence(tmp_path, "audio", "a.wav")
    monkeypatch.setitem(media.MAX_MEDIA_MB, "audio", 1)
    monkeypatch.setattr(media, "MAX_TOTAL_MB", 0.01)
    assert "b.wav is too much" in sentence(tmp_path, "audio", "a.wav", "b.wav")


def test_sounds_come_with_their_table(tmp_path):
    (tmp_path / "a.wav").write_bytes(wav())
    (tmp_path / "calls.csv").write_text("name,clip\none,a.wav\ntwo,\n")
    assert read(tmp_path / "calls.csv", audio="clip").media == {"a.wav": wav()}
    with pytest.raises(DataError, match="there is no column 'sound' for the audio; the columns are name, clip"):
        read(tmp_path / "calls.csv", audio="sound")


def test_what_is_shown_is_not_learned_from():
    table = {"text": ["a", "b", "a"], "clip": ["x", "x", "y"], "film": ["x", "y", "y"], "size": [1, 2, 3]}
    items = encode(table, body="text", audio="clip", video="film")
    assert items.columns == ("size",)
    assert items.left_out == {"text": "is the body", "clip": "is the audio", "film": "is the video"}
    assert items.names == ("item 1", "item 2", "item 3")
    unique = {"text": ["long", "longer"], "size": [1, 2]}
    assert encode(unique).names == ("long", "longer")
    assert encode(unique, body="text").names == ("item 1", "item 2")
