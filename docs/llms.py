"""llms.txt: a list of all pages with one sentence each, for programs that read documentation; see https://llmstxt.org.

It is written into the built documentation and links to the sources of the pages, which are plain Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent
MAX_LETTERS = 200  # of a sentence


def toctrees() -> dict[str, list[str]]:
    """The captions of the first page, and the pages below each."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    found = {}
    for tree in trees:
        lines = [line.strip() for line in tree.splitlines() if line.strip()]
        caption = next(line.removeprefix(":caption: ") for line in lines if line.startswith(":caption:"))
        found[caption] = [line for line in lines if not line.startswith(":")]
    return found


def title_and_sentence(page: str) -> tuple[str, str]:
    """The heading of a page, and its first sentence as plain text."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    paragraphs = [part for part in re.split(r"\n\s*\n", rest) if re.match(r"[A-Za-z`\[]", part.strip())]
    first = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", " ".join(paragraphs[0].split())) if paragraphs else ""
    first = re.sub(r"\{py:\w+\}", "", first)
    sentence = re.split(r"(?<=[.?:]) (?=[A-Z`])", first)[0]
    if len(sentence) > MAX_LETTERS:
        sentence = sentence[:MAX_LETTERS].rsplit(" ", 1)[0] + " ..."
    return title.lstrip("# "), sentence


def llms_text() -> str:
    """The whole file."""
    _, summary = title_and_sentence("index")
    lines = ["# askwise", "", f"> {summary}", ""]
    for caption, pages in toctrees().items():
        lines += [f"## {caption}", ""]
        for page in pages:
            title, sentence = (
                title_and_sentence(page) if page != "changelog" else ("Changelog", "What changed for users.")
            )
            lines.append(f"- [{title}](_sources/{page}.md.txt): {sentence}".rstrip(": "))
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(llms_text(), end="")
