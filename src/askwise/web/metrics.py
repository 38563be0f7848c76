"""Figures about the server in the text format of Prometheus. The format is a few lines; a client library would keep a
registry for the whole process, which several apps in one process would share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate

from askwise.web.studies import ServedStudies

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # upper bounds of the classes


class RequestFigures:
    """How many requests there were, and how long they took until the reply began. The guard counts them."""

    def __init__(self) -> None:
        self.counts: defaultdict[tuple[str, str, int], int] = defaultdict(int)  # by method, route and status
        self.classes: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(SECONDS) + 1))  # by route
        self.seconds: defaultdict[str, float] = defaultdict(float)  # by route


def metrics_text(figures: RequestFigures, studies: ServedStudies) -> str:
    """All figures, as Prometheus reads them."""
    services = list(studies.all_services())
    lines = [
        "# HELP askwise_requests_total Requests, by method, route and status.",
        "# TYPE askwise_requests_total counter",
    ]
    lines += [
        _line("askwise_requests_total", count, method=method, route=route, status=str(status))
        for (method, route, status), count in sorted(figures.counts.items())
    ]
    name = "askwise_request_seconds"
    lines += [f"# HELP {name} Seconds until a reply begins, by route.", f"# TYPE {name} histogram"]
    for route, classes in sorted(figures.classes.items()):
        for bound, count in zip([*map(str, SECONDS), "+Inf"], accumulate(classes), strict=True):
            lines.append(_line(f"{name}_bucket", count, route=route, le=bound))
        lines += [
            _line(f"{name}_sum", figures.seconds[route], route=route),
            _line(f"{name}_count", sum(classes), route=route),
        ]
    gauges = {
        "askwise_open_logs": ("gauge", "Logs in memory.", len(services)),
        "askwise_logs_behind": (
            "gauge",
            "Logs whose learner failed last.",
            sum(s.states.failures > 0 for s in services),
        ),
        "askwise_learner_waiting": ("gauge", "Calls that wait for a worker.", studies.learner.waiting),
        "askwise_watchers": ("gauge", "Pages that watch a study.", studies.watchers),
        "askwise_fallback_questions_total": (
            "counter",
            "Questions asked because the learner was behind.",
            studies.fallbacks,
        ),
    }
    for gauge, (kind, help_text, value) in gauges.items():
        lines += [f"# HELP {gauge} {help_text}", f"# TYPE {gauge} {kind}", _line(gauge, value)]
    return "\n".join(lines) + "\n"


def _line(name: str, value: float, **labels: str) -> str:
    """
    >>> _line("askwise_requests_total", 3, method="GET", route='/a"b')
    'askwise_requests_total{method="GET",route="/a\\\\"b"} 3'
    """
    return f"{name}{_labels(labels)} {value:g}" if isinstance(value, float) else f"{name}{_labels(labels)} {value}"


def _labels(labels: Mapping[str, str]) -> str:
    escaped = {
        key: value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for key, value in labels.items()
    }
    return "{" + ",".join(f'{key}="{value}"' for key, value in escaped.items()) + "}" if labels else ""
