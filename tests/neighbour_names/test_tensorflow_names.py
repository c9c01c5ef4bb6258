# SPDX-License-Identifier: Apache-2.0
"""Every public name that TensorFlow 2.0 to 2.4 had is served, or is explained, or nobody's need.

`public-names.json` has the names, the members of classes and the signatures that stock TensorFlow
no longer has; `compare_public_names.py` makes it of what old versions and today's have.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compat_lossscale.neighbour_names import MEMBERS, METHODS, SIGNATURES, neighbour_at
from tests.neighbour_names.compare_public_names import differs
from tests.support import run_code

RECORDED = json.loads(Path(__file__).with_name("public-names.json").read_text("utf-8"))
NOT_OURS = {
    "of version 1's layers, which graphs alone had; those of version 2 are there": (
        r"tf\.compat\.v1\.keras\.layers\.experimental\.preprocessing\.\w+"
    ),
    "it is of the objects, which are of other classes": (
        r"tf\.Tensor\.\w+|tf\.distribute\.StrategyExtended\.\w+"
    ),
    "TensorFlow's own error says what to do": r"tf\.experimental\.numpy\.ndarray\.\w+",
    "for TPUs and TensorRT": (
        r"tf\.experimental\.tensorrt\.\S+|tf\.tpu\.\S+|tf\.distribute\.InputOptions\.\w+"
        r"|tf\.distribute\.NcclAllReduce\.\w+"
    ),
    "programs have no use for it": (
        r"tf\.Operation\.traceback_with_start_lines|tf\.test\.TestCase\.\w+"
        r"|tf\.(keras\.)?layers\.experimental\.preprocessing\.(CategoryEncoding\.set_\w+"
        r"|Hashing\.adapt|StringLookup\.\w+)|tf\.keras\.layers\.MultiHeadAttention\.\w+"
    ),
    "TensorFlow makes these itself": (
        r"tf\.(OptionalSpec|RaggedTensor|errors\.UnknownError)"
        r"|tf\.compat\.v1\.data\.experimental\.OptionalStructure"
    ),
    "optimizers of the legacy family have the old signature": (
        r"tf\.(keras\.)?optimizers\.\w+(\.\w+)?"
    ),
    "the old versions differ from one another, and values do not tell which is meant": (
        r"tf\.keras\.Model\.(add_weight|fit)|tf\.keras\.layers\.(LSTM|GRU)(Cell)?"
        r"|tf\.keras\.layers\.ConvLSTM2D|tf\.keras\.utils\.(model_to_dot|plot_model)"
        r"|tf\.config\.experimental\.set_virtual_device_configuration|tf\.nn\.swish"
        r"|tf\.autograph\.experimental\.set_loop_options"
    ),
    "what moved is so far at the end that it is named": (
        r"tf\.(linalg\.)?matmul|tf\.(math|nn)\.top_k|tf\.(compat\.v1\.manip\.)?scatter_nd"
        r"|tf\.(compat\.v1\.)?tensor_scatter_\w+|tf\.compat\.v1\.nn\.\w+_with_logits"
        r"|tf\.numpy_function|tf\.function|tf\.image\.adjust_jpeg_quality"
        r"|tf\.experimental\.numpy\.\w+|tf\.saved_model\.SaveOptions"
        r"|tf\.data\.experimental\.service\.(distribute|from_dataset_id)"
        r"|tf\.keras\.preprocessing\.image\.\S+|tf\.keras\.preprocessing\.text\.Tokenizer"
        r"|tf\.(keras\.)?metrics\.(AUC|SparseCategoricalCrossentropy)"
        r"|tf\.keras\.models\.load_model"
    ),
    "today's takes the old names among `**kwargs`, or more than before": (
        r"tf\.keras\.applications\.\S+|tf\.keras\.regularizers\.l[12]"
        r"|tf\.keras\.layers\.(BatchNormalization|LayerNormalization)"
        r"|tf\.keras\.layers\.experimental\.SyncBatchNormalization"
        r"|tf\.keras\.layers\.experimental\.preprocessing\.\w+"
        r"|tf\.compat\.v1\.nn\.rnn_cell\.\S+"
    ),
}


def is_not_ours(name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in NOT_OURS.values())


@pytest.fixture(scope="module")
def missing() -> list[str]:
    """The recorded names that a program does not find, with the old names in place."""
    out = run_code(
        f"""
        import functools, json, compat_lossscale
        compat_lossscale.install()
        import tensorflow as tf
        missing = []
        for name in {RECORDED["names"] + RECORDED["members"]!r}:
            try:
                functools.reduce(getattr, name.split(".")[1:], tf)
            except AttributeError as error:
                missing.append((name, str(error)))
        print(json.dumps(missing))
        """,
        tensorflow_may_be_imported=True,
    )
    return [name for name, error in json.loads(out) if " ended with TensorFlow 2." not in error]


def test_names_are_served_or_explained(missing: list[str]) -> None:
    explained = {one.short_name for one in MEMBERS if not one.is_served}
    left = [name for name in missing if name.rpartition(".")[2] not in explained]
    assert [name for name in left if not is_not_ours(name)] == []


def test_signatures_that_changed_are_served_or_explained() -> None:
    methods = {one.name for one in SIGNATURES if one.is_method}
    paths = {one.path for one in SIGNATURES}
    left = []
    for name in RECORDED["signatures"]:
        place, _, last = name.replace("tf.", "tensorflow.", 1).rpartition(".")
        home = re.sub(r"^tensorflow\.(losses|metrics)$", r"tensorflow.keras.\1", place)
        is_method = place.rpartition(".")[2][0].isupper()
        named = last in methods if is_method else f"{home}.{last}" in paths
        if not named and not is_not_ours(name):
            left.append(name.replace("Convolution", "Conv"))
    assert {f"tensorflow.{name.partition('.')[2]}" for name in left} <= paths


@pytest.mark.parametrize("reason", NOT_OURS)
def test_no_reason_stands_for_nothing(reason: str) -> None:
    recorded = [name for names in RECORDED.values() for name in names]
    assert any(re.fullmatch(NOT_OURS[reason], name) for name in recorded)


def test_members_that_others_may_have_are_not_looked_for_by_name_alone() -> None:
    assert "predict_classes" in METHODS
    assert METHODS.keys() & {"apply", "autotune", "total_loss", "compute_loss"} == set()
    found = neighbour_at("tensorflow.compat.v1.keras.utils.HDF5Matrix")
    assert found is not None
    assert not found.is_served


@pytest.mark.parametrize(
    ("old", "today", "expected"),
    [
        (["a", "b="], ["a", "b=", "c="], False),
        (["a", "b="], ["a", "c=", "b="], True),
        (["a", "b="], ["a"], True),
        (["a", "b="], ["a", "**kwargs"], True),
        (["a"], ["a", "b"], True),
        (["a", "*", "b="], ["a", "*", "c=", "b="], False),
        (["a"], None, False),
    ],
)
def test_which_signatures_differ(old: list[str], today: list[str] | None, expected: bool) -> None:
    assert differs(old, today) is expected
