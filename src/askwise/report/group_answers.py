"""The answers of goals about many things at once: labels, clusters, a tree."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from askwise.distances.fairness import EqualOpportunity
from askwise.report import findings, groups
from askwise.report.findings import Chance
from askwise.report.markup import Section, fold, pairs, picture, plural, table, tiles
from askwise.report.svg import Branch, bars, percent, tree
from askwise.report.view import MOST, SHOWN, SMALL, Shown, View
from askwise.structures.hierarchies import newick

STRONG = 0.9  # support from which a fork is drawn as settled


def classifier(view: View) -> Shown:
    """How often each label was given, the least sure rows, and fairness where it matters.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> classifier(view_of(goals.classifier({"size": [1.0, 2.0, 3.0]}, seed=1))).question
    'Which label has each of 3 rows?'
    """
    estimate = view.session.estimate()
    found = groups.labels(view.distance.family, view.sample, estimate.structure, view.options["labels"])
    counted = pairs([(str(name), plural(count, "row")) for name, count in found.counts], "facts large")
    unsure = found.unsure(SHOWN)
    drawn = [(f"{row.name}: {label}", row.probability) for row, label in unsure]
    rows = [
        [row.name, str(label), percent(row.probability)] for row, label in zip(found.rows, found.given, strict=True)
    ]
    sections = [
        Section(
            "labels",
            "The labels that are least sure",
            "The share of everything still plausible that gives the row the same label. All labels are in the table.",
            bars(drawn, "probability of the label")
            + fold("Every row as a table", table(["row", "label", "probability"], rows, (2,))),
        )
    ]
    if isinstance(view.distance, EqualOpportunity):
        low, middle, high = groups.gap(view.distance, view.sample, estimate.structure)
        second, column = escape(str(view.options["labels"][1])), escape(str(view.options["fair_on"]))
        lead = (
            f"Of the rows that deserve the label {second}, the two groups of {column} get it with shares that differ "
            f"by {percent(middle)} (with a probability of 80 % between {percent(low)} and {percent(high)})."
        )
        sections.append(Section("fairness", "Fairness between the groups", lead, ""))
    return Shown(f"Which label has each of {len(found.rows):,} rows?", counted, sections)


def cluster_of(view: View) -> Shown:
    """The members with their pictures, and how likely each item belongs.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> cluster_of(view_of(goals.cluster_of(["ant", "bee", "cow"], "bee", draws=8))).question
    'Which of 3 items belong with bee?'
    """
    members = view.distance.members(view.session.estimate().structure[None])[0]
    item = view.distance.item
    rows = findings.among(view.distance.members(view.sample.structures), view.sample.weights, view.family.names)
    inside = [row for row in rows if members[row.place] and row.place != item]
    outside = [row for row in rows if not members[row.place]]
    name = view.family.names[item]
    cells = [(row.name, view.image(row.place), percent(row.probability)) for row in inside]
    sought = f"<p>{picture(name, view.image(item))} {escape(name)}</p>"
    found = plural(len(inside), "item") if inside else "nothing else"
    return Shown(
        f"Which of {len(rows):,} items belong with {name}?",
        f"{sought}<p>Found: {found}.</p>{tiles(cells) if inside else ''}",
        [_doubtful(view, inside, outside, name)],
    )


def clusters(view: View) -> Shown:
    """All clusters with their pictures, and the items whose place is least sure.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> clusters(view_of(goals.clusters(["ant", "bee", "cow"], draws=8))).question
    'Which of 3 items belong together?'
    """
    estimate = view.session.estimate().structure
    found = groups.clusters(view.sample.structures, view.sample.weights, estimate, view.family.names)
    several = [cluster for cluster in found if len(cluster.members) > 1]
    alone = [cluster.members[0] for cluster in found if len(cluster.members) == 1]
    parts = [
        f"<h3>Cluster {count}: {plural(len(cluster.members), 'item')}</h3>{_tiles(view, cluster.members)}"
        for count, cluster in enumerate(several, 1)
    ]
    if alone:
        parts.append(f"<h3>With nobody: {plural(len(alone), 'item')}</h3>{_tiles(view, alone)}")
    doubts = sorted((row for cluster in found for row in cluster.members), key=lambda row: row.probability)
    rows = [
        [row.name, str(count), percent(row.probability)]
        for count, cluster in enumerate(found, 1)
        for row in cluster.members
    ]
    section = Section(
        "doubts",
        "The items whose place is least sure",
        "How surely an item is together with the others of its cluster, on average over them; for an item alone, how "
        "surely it is alone.",
        bars([(row.name, row.probability) for row in doubts[:SHOWN]], "how surely each item is in its cluster")
        + fold("Every item as a table", table(["item", "cluster", "sure"], rows, (1, 2))),
    )
    return Shown(f"Which of {len(estimate):,} items belong together?", "".join(parts), [section])


def hierarchy(view: View) -> Shown:
    """The tree drawn, and how sure each fork is.

    >>> from askwise import goals
    >>> from askwise.report.view import view_of
    >>> hierarchy(view_of(goals.hierarchy(["ant", "bee", "cow"], draws=8))).sections[0].title
    'How sure each fork is'
    """
    estimate, names = view.session.estimate().structure, view.family.names
    found = groups.forks(view.sample.structures, view.sample.weights, estimate)
    order = found[-1].leaves
    picture_ = tree([names[leaf] for leaf in order], branches(found, len(names)), "the tree found")
    rows = [
        [percent(fork.support), str(len(fork.leaves)), ", ".join(names[leaf] for leaf in fork.leaves)]
        for fork in sorted(found, key=lambda fork: fork.support)
        if len(fork.leaves) < len(names)
    ]
    section = Section(
        "support",
        "How sure each fork is",
        "The share of everything still plausible that has exactly these items in one branch of their own, the least "
        "sure first. In the drawing it stands at the fork, in per cent; dashed lines leave a fork with less than 90.",
        table(["sure", "items", "in one branch"], rows[:MOST], (0, 1))
        + fold("The tree for other programs (Newick)", f"<pre>{escape(newick(estimate, names))}</pre>"),
    )
    return Shown(f"Which of {len(names):,} items belong together more closely?", picture_, [section])


def branches(found: Sequence[groups.Fork], leaves: int) -> list[Branch]:
    """Where each fork is drawn: leaves in rows, forks in the middle of their children, the root at the left.

    >>> branches([groups.Fork((0, 1), (0, 1), 1, 0.5), groups.Fork((0, 1, 2), (3, 2), 2, 1.0)], 3)[1].row
    1.25
    """
    top = found[-1].height
    at: dict[int, tuple[float, float]] = {leaf: (1.0, float(row)) for row, leaf in enumerate(found[-1].leaves)}
    drawn = []
    for count, fork in enumerate(found):
        one, two = (at[child] for child in fork.children)
        at[leaves + count] = x, row = 1 - fork.height / top, (one[1] + two[1]) / 2
        whole = len(fork.leaves) == leaves
        drawn.append(Branch(x, row, (one, two), "" if whole else f"{100 * fork.support:.0f}", fork.support >= STRONG))
    return drawn


def _doubtful(view: View, inside: Sequence[Chance], outside: Sequence[Chance], name: str) -> Section:
    """The members and the likeliest others."""
    near = [row for row in outside if row.probability >= SMALL][:SHOWN]
    drawn = sorted(inside, key=lambda row: row.probability)[:SHOWN]
    parts = []
    if drawn:
        parts += ["<h3>Members, the least sure first</h3>", bars([(r.name, r.probability) for r in drawn], "members")]
    if near:
        parts += ["<h3>Others that might belong</h3>", bars([(r.name, r.probability) for r in near], "others")]
    rows = [[r.name, "yes" if r in inside else "no", percent(r.probability)] for r in (*inside, *outside)]
    parts.append(fold("Every item as a table", table(["item", "found", "probability"], rows, (2,))))
    lead = f"The share of everything still plausible in which the item is together with {escape(name)}."
    return Section("chances", "How likely each item belongs", lead, "".join(parts))


def _tiles(view: View, rows: Sequence[Chance]) -> str:
    return tiles((row.name, view.image(row.place), percent(row.probability)) for row in rows)
