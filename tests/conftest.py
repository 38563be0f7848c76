"""Hypothesis tries the same cases every time; with ASKWISE_TEST_SEED=... it looks for new ones. What could not run on
this machine is said at the end, by name and reason."""

import os

from hypothesis import settings

pytest_plugins = ["tests.package", "tests.postgres"]
settings.register_profile("askwise", deadline=None, derandomize="ASKWISE_TEST_SEED" not in os.environ)
settings.load_profile("askwise")


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.getreports("skipped"):
        terminalreporter.write_line(f"{report.nodeid}: {str(report.longrepr[2]).removeprefix('Skipped: ')}")
