"""How much Hypothesis tries: the same every time in CI, new examples at home."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

CONTRACT = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ],  # a seed does not get simpler by shrinking, which takes minutes
    print_blob=True,
)

settings.register_profile("contract", CONTRACT)
settings.register_profile("contract-ci", CONTRACT, derandomize=True)
settings.register_profile("contract-long", CONTRACT, max_examples=1_000)
settings.load_profile("contract-ci" if os.environ.get("CI") else "contract")
