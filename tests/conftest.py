"""Hypothesis tries the same cases every time; with ASKWISE_TEST_SEED=... it looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("askwise", deadline=None, derandomize="ASKWISE_TEST_SEED" not in os.environ)
settings.load_profile("askwise")
