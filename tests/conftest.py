"""Profiles of Hypothesis: `quick` by default, another one where HYPOTHESIS_PROFILE says so."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# Examples are grown from small parts and graded in batches, so their speed says nothing.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("quick", max_examples=100, **_COMMON)
settings.register_profile("slow", max_examples=4000, **_COMMON)
# For mutants, of which nobody wants to see the smallest example that fails.
settings.register_profile("unshrunk", max_examples=100, phases=[Phase.explicit, Phase.generate], **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
