"""Checks the links of the pages: python docs/links.py prints those that lead nowhere, then all external ones.

External links are only listed. Check them before a release, from a machine with a network:
python docs/links.py --external | xargs -n 1 curl -sSfIL -o /dev/null
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|(?:src|srcset|href)=\"([^\"]+)\"")
MAX_DEPTH = 3  # myst_heading_anchors in conf.py
GENERATED = ("_static/",)  # where only the built docs have files


def pages() -> list[Path]:
    """Every page whose links are checked: the docs, and what GitHub shows of a folder."""
    return [*sorted(DOCS.glob("*.md")), *sorted(ROOT.glob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]


@cache
def without_code(page: Path) -> str:
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda found: found[0].replace("](", "] ("), text)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The headings of a page as anchors, the way MyST and GitHub write them, and the targets it names itself."""
    text = without_code(page)
    found: list[str] = re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE)
    for marks, heading in re.findall(r"^(#+) (.+)$", text, flags=re.MULTILINE):
        if len(marks) <= MAX_DEPTH:
            plain = re.sub(r"\[([^]]+)\]\s?\([^)]*\)", r"\1", heading).strip().lower()
            slug = re.sub(r"[^\w\u4e00-\u9fff\- ]", "", plain).replace(" ", "-")
            found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found)


def targets(page: Path) -> list[str]:
    return [one or two for one, two in LINK.findall(without_code(page))]


def broken(page: Path) -> list[str]:
    """The links of a page to files or headings that do not exist."""
    wrong = []
    for target in targets(page):
        if re.match(r"[a-z]+:", target) or target.startswith(GENERATED):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if not found.exists() or (anchor and found.suffix == ".md" and anchor not in anchors(found)):
            wrong.append(target)
    return wrong


def external() -> dict[str, list[str]]:
    """Every external link and the pages that have it."""
    found: dict[str, list[str]] = {}
    for page in pages():
        for target in targets(page):
            if re.match(r"https?:", target):
                found.setdefault(target, []).append(str(page.relative_to(ROOT)))
    return dict(sorted(found.items()))


if __name__ == "__main__":
    if "--external" in sys.argv[1:]:
        print(*external(), sep="\n")
    else:
        for page in pages():
            for target in broken(page):
                print(f"{page.relative_to(ROOT)}: {target} leads nowhere")
        for target, where in external().items():
            print(f"{target}  ({', '.join(dict.fromkeys(where))})")
