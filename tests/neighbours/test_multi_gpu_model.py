# SPDX-License-Identifier: Apache-2.0
"""`multi_gpu_model` trains as under TensorFlow 2.3, but for rounding; there are pretended GPUs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from compat_lossscale.neighbours.removed_members import multi_gpu_model
from tests.support import python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "two-gpus.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def given() -> dict[str, dict[str, object]]:
    """What the program gives under `run`."""
    done = python(
        "-m", "compat_lossscale", "run", str(HERE / "two_gpus.py"), tensorflow_may_be_imported=True
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, dict[str, object]] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("case", ["two", "numbers"])
def test_it_trains_as_it_did(case: str, given: dict[str, dict[str, object]]) -> None:
    assert given[case]["names"] == RECORDED[case]["names"]
    assert given[case]["layers"] == RECORDED[case]["layers"]
    for kind in ("outputs", "weights"):
        for value, expected in zip(given[case][kind], RECORDED[case][kind], strict=True):  # type: ignore[call-overload]
            np.testing.assert_allclose(value, expected, rtol=2e-6, atol=1e-7)


def test_numbers_of_gpus_that_it_refuses(given: dict[str, dict[str, object]]) -> None:
    refused = ["one", "one number", "too many"]
    assert [given[case] for case in refused] == [RECORDED[case] for case in refused]


def test_the_errors_say_what_is_there() -> None:
    with pytest.raises(ValueError, match=r"at least two GPUs, and `gpus` is 1\. Train"):
        multi_gpu_model(None, 1)
    with pytest.raises(
        ValueError, match=r"gpus=\[0, 7\] needs .*/gpu:7, and this machine has /cpu:0"
    ):
        multi_gpu_model(None, [0, 7])
