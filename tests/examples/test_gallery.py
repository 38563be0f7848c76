"""How the documentation runs the examples."""

import pytest

gallery = pytest.importorskip("docs.gallery")


def test_the_example_that_asks_a_person_is_answered_until_it_is_settled(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "CHARTS", tmp_path / "charts")
    printed = gallery.run(gallery.ASKS)
    lines = printed.splitlines()
    assert lines[0].startswith("Which do you prefer: ")
    assert lines[0].endswith(("left", "right"))
    assert "On average over what is still plausible after" in lines[-1]
    assert (tmp_path / "charts" / f"{gallery.ASKS}.svg").read_text(encoding="utf-8").startswith("<svg")


def test_an_example_that_fails_stops_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "CHARTS", tmp_path / "charts")
    monkeypatch.setattr(gallery, "EXAMPLES", tmp_path)
    (tmp_path / "broken.py").write_text("raise SystemExit('no data')", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"examples/broken\.py failed:\nno data"):
        gallery.run("broken")
