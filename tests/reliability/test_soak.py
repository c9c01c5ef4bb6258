# SPDX-License-Identifier: Apache-2.0
"""Long training against the update rule, and the memory it takes. `soak` has the long mode."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reliability.generations import GENERATIONS, Generation
from tests.reliability.soak import soak_eager, soak_traced


def test_the_traced_core_does_as_the_rule_says_and_keeps_no_memory() -> None:
    assert "14 x 1000 steps as the rule says" in soak_traced(1000, np.random.default_rng(0))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("generation", GENERATIONS, ids=lambda one: one.name)
def test_eager_training_does_as_the_rule_says_and_keeps_no_objects(generation: Generation) -> None:
    done = soak_eager(generation, 200, np.random.default_rng(0))
    assert "200 steps as the rule says" in done
