"""The API describes itself: who may call an operation, every status, every media type."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from askwise.web.app import create_app
from tests.web.test_api import OWNER


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    return create_app(str(tmp_path_factory.mktemp("studies")), token="secret-of-the-owner").openapi()


def operations(described):
    return [
        (path, method, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


OWNED = ("/api/v1/studies", "/api/v1/owners")


def test_every_operation_of_the_owner_names_its_security_and_no_other_does(described):
    schemes = described["components"]["securitySchemes"]
    assert (schemes["ownerToken"]["scheme"], schemes["ownerCookie"]["in"]) == ("bearer", "cookie")
    for path, _, operation in operations(described):
        named = [scheme for one in operation.get("security", []) for scheme in one]
        assert named == (["ownerToken", "ownerCookie"] if path.startswith(OWNED) else []), path


def test_every_error_is_one_sentence_in_json(described):
    for path, method, operation in operations(described):
        assert {"404", "409", "413", "422", "429", "503"} < set(operation["responses"]), (method, path)
        assert ("401" in operation["responses"]) == path.startswith(OWNED)
        for status, reply in operation["responses"].items():
            if status >= "400":
                assert list(reply["content"]) == ["application/json"], (method, path, status)
                assert reply["description"]
    assert "HTTPValidationError" not in str(described)


def test_files_and_streams_have_their_media_types(described):
    kinds = {
        path.partition("/p/{token}/")[2] or path.rpartition("/")[2]: set(operation["responses"]["200"]["content"])
        for path, method, operation in operations(described)
        if method == "get"
    }
    assert kinds["report.html"] == {"text/html"}
    assert kinds["answers.csv"] == {"text/csv"}
    assert kinds["live"] == {"text/event-stream"}
    assert "image/*" in kinds["image/{name}"]
    assert {"audio/*", "video/*"} < kinds["{kind}/{name}"]


@pytest.mark.usefixtures("in_process")
def test_what_the_framework_says_in_its_own_way_is_said_in_ours(tmp_path):
    with TestClient(create_app(str(tmp_path), token="secret-of-the-owner", workers=1)) as client:
        other = client.put("/api/v1/studies", headers=OWNER)
        assert (other.status_code, other.headers["allow"]) == (405, "GET, POST")
        headers = {**OWNER, "Content-Type": "application/json"}
        broken = client.post("/api/v1/studies/some/state", content=b"\xff\xfe{", headers=headers)
        assert broken.status_code in (404, 422)
        assert isinstance(broken.json()["detail"], str)
