"""Files that come with a table: found by name, within limits, and nothing half made."""

from __future__ import annotations

import io
import zipfile

import pytest
from fastapi.testclient import TestClient

from askwise import DataError
from askwise.storage.address import Address
from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store
from askwise.web import uploads
from askwise.web.app import create_app
from askwise.web.routes import media
from askwise.web.uploads import UploadedFiles
from tests.media import PNG, wav, zipped

OWNER = {"Authorization": "Bearer owner"}
TABLE = b"name,photo,clip,heat\ntea,in/tea.png,a.wav,9\nmilk,milk.png,b.wav,1\nwater,,,2\n"
FILES = {"set/in/tea.png": PNG, "set/milk.png": PNG + b" ", "set/a.wav": wav(), "set/b.wav": wav(2)}


def uploaded(**files):
    return UploadedFiles([(name, io.BytesIO(content)) for name, content in files.items()])


def test_files_are_found_by_path_or_by_their_last_part():
    files = uploaded(x=zipped({"a/tea.png": b"1", "b/tea.png": b"22", "c/milk.png": b"333", "__MACOSX/x": b""}), y=b"4")
    assert [files.size(name) for name in ("a/tea.png", "b\\tea.png", "./c/milk.png", "milk.png", "other/milk.png")] == [
        1, 2, 3, 3, 3,
    ]  # fmt: skip
    assert files.size("tea.png") is None  # it could be either
    assert files.size("x") is None
    assert files.read("b/tea.png") == b"22"
    assert files.read("y") == b"4"


def damaged(content):
    return content[:60] + bytes(40) + content[100:]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"../../etc/passwd": b"x"}, "holds '../../etc/passwd', which leads out of the archive"),
        ({"/etc/passwd": b"x"}, "which leads out of the archive"),
        ({"C:\\x.png": b"x"}, "which leads out of the archive"),
        ({f"{number}.png": b"" for number in range(11)}, "x.zip holds 11 files; a zip archive may hold 10"),
    ],
)
def test_bad_archives_are_refused(files, sentence, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_ZIP_ENTRIES", 10)
    with pytest.raises(DataError) as refused:
        uploaded(**{"x.zip": zipped(files)})
    assert sentence in str(refused.value)


def test_a_locked_archive_is_refused():
    content = bytearray(zipped({"a.png": PNG}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DataError, match="locked by a password"):
        uploaded(**{"x.zip": bytes(content)})


def test_a_damaged_archive_is_refused():
    files = uploaded(**{"x.zip": damaged(zipped({"a.png": PNG * 20}))})
    with pytest.raises(DataError, match=r"a\.png in x\.zip cannot be unpacked; make the zip archive again"):
        files.read("a.png")


def test_an_archive_unpacks_no_further_than_it_says():
    content = bytearray(zipped({"a.png": bytes(1_000_000)}))
    for place in (content.index(b"PK\x03\x04") + 22, content.index(b"PK\x01\x02") + 24):
        content[place : place + 4] = (100).to_bytes(4, "little")  # it says 100 bytes
    files = uploaded(**{"x.zip": bytes(content)})
    assert files.size("a.png") == 100
    with pytest.raises(DataError, match="cannot be unpacked"):  # its checksum is that of more
        files.read("a.png")


def test_two_files_of_one_name_are_refused():
    with pytest.raises(DataError, match=r"two uploaded files are called tea\.png"):
        UploadedFiles([("tea.png", io.BytesIO(b"1")), ("C:\\photos\\tea.png", io.BytesIO(b"2"))])


def form(options="{}", **more):
    return {"goal": "best-item", "name": "drinks", "options": options, **more}


@pytest.fixture
def client(tmp_path, in_process):
    with TestClient(create_app(str(tmp_path), token="owner", workers=1)) as made:
        made.folder = tmp_path
        yield made


def post(client, files, options="{}", **more):
    parts = [("table", ("drinks.csv", TABLE)), *(("files", file) for file in files)]
    return client.post("/api/v1/studies", data=form(options, **more), files=parts, headers=OWNER)


def test_an_archive_becomes_the_files_of_the_study(client):
    options = '{"image": "photo", "audio": "clip", "draws": 60}'
    archive = [("all.zip", zipped(FILES))]
    assert post(client, archive, options, preview="true").json()["made"] is False
    assert post(client, archive, options).status_code == 201
    store = Store.at(Address.of(client.folder / "drinks.askwise"))
    content = {"in/tea.png": PNG, "milk.png": PNG + b" ", "a.wav": wav(), "b.wav": wav(2)}
    assert store.images(1) == content


def test_the_column_of_the_pictures_is_found(client):
    pictures = [("tea.png", PNG), ("milk.png", PNG)]
    assert post(client, pictures, '{"draws": 60}').status_code == 201
    store = Store.at(Address.of(client.folder / "drinks.askwise"))
    assert store.record().recipe["options"]["image"] == "photo"
    assert set(store.images(1)) == {"in/tea.png", "milk.png"}


@pytest.mark.parametrize(
    ("files", "options", "sentence"),
    [
        ([("tea.png", PNG)], "{}", "column 'photo' names pictures that are not among the uploaded files: 'milk.png'"),
        ([("cola.png", PNG)], "{}", "no column of the table names an uploaded file such as cola.png"),
        ([("tea.png", b"MZ"), ("milk.png", PNG)], "{}", "in/tea.png in column 'photo' is none of the pictures that"),
        ([], '{"audio": "clip"}', "column 'clip' names sounds that are not among the uploaded files"),
        ([("x.zip", zipped({"../a": b""}))], "{}", "which leads out of the archive"),
        ([], '{"audio": "sound"}', "audio= names the column 'sound', but the table has only"),
    ],
)  # fmt: skip
def test_bad_files_make_no_study(client, files, options, sentence):
    refused = post(client, files, options)
    assert refused.status_code == 422
    assert sentence in refused.json()["detail"]
    assert list(client.folder.iterdir()) == []


def test_too_much_unpacked_makes_no_study(client, monkeypatch):
    monkeypatch.setattr(UploadedFiles, "max_mb", 1)
    bomb = zipped({"tea.png": PNG + bytes(2**20), "milk.png": PNG})
    assert len(bomb) < 10_000
    refused = post(client, [("bomb.zip", bomb)])
    assert "pictures may have 20 MB each and 1 MB together; in/tea.png is too much" in refused.json()["detail"]
    assert list(client.folder.iterdir()) == []


def test_players_fetch_parts(client, monkeypatch):
    post(client, [("all.zip", zipped(FILES))], '{"image": "photo", "audio": "clip", "draws": 60}')
    store = Store.at(Address.of(client.folder / "drinks.askwise"))
    person = invite(store, store.record(), "Ann")
    base = f"/api/v1/s/drinks/p/{token_of(store, 1, person.participant)}"
    content, where = wav(), f"{base}/audio/a.wav"
    whole = client.get(where)
    assert (whole.status_code, whole.content, whole.headers["content-type"]) == (200, content, "audio/wav")
    assert whole.headers["accept-ranges"] == "bytes"
    size = len(content)
    for asked, first, last in (
        ("bytes=0-1", 0, 1),
        ("bytes=100-", 100, size - 1),
        ("bytes=-5", size - 5, size - 1),
        ("bytes=5-999999", 5, size - 1),
        ("bytes=-999999", 0, size - 1),
    ):
        part = client.get(where, headers={"Range": asked})
        assert (part.status_code, part.content) == (206, content[first : last + 1])
        assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
    for asked in ("bytes=0-1,4-5", "lines=0-1", "bytes=-", "bytes=a-b"):
        assert client.get(where, headers={"Range": asked}).content == content
    beyond = client.get(where, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    monkeypatch.setattr(media, "MAX_PART_BYTES", 1000)
    assert client.get(where, headers={"Range": "bytes=10-"}).content == content[10:1010]
    assert client.get(f"{base}/audio/none.wav").status_code == 404
    assert client.get(f"{base}/film/a.wav").status_code in (404, 422)
    assert client.get(f"{base}/video/a.wav").headers["content-type"] == "application/octet-stream"
    assert client.get(where.replace(person.participant, "x" * 12)).status_code == 404
    assert "media-src 'self'" in whole.headers["content-security-policy"]


def test_zip_archives_are_told_by_their_content():
    assert zipfile.is_zipfile(io.BytesIO(zipped({"a": b""})))
    assert uploaded(**{"a.zip": b"not one"}).size("a.zip") == 7
