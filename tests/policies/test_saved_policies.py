# SPDX-License-Identifier: Apache-2.0
"""Layers get the policies that their configs state."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import tf_keras

from compat_lossscale.core import DynamicLossScale, LossScale
from compat_lossscale.experimental import Policy, get_layer_policy
from compat_lossscale.optimizers import base
from tests.support import run_code

pytestmark = pytest.mark.grid(2)

POLICIES = {
    "fixed": lambda: Policy("mixed_float16", 8),
    "dynamic": lambda: Policy("mixed_float16", DynamicLossScale(8, 3, 4)),
    "none": lambda: Policy("mixed_float16", None),
}


def config_of(loss_scale: LossScale | None) -> Any:
    return loss_scale and (type(loss_scale), loss_scale.get_config())


@pytest.fixture(params=POLICIES.values(), ids=POLICIES)
def layer(request: pytest.FixtureRequest) -> Any:
    return tf_keras.layers.Dense(1, dtype=request.param(), input_shape=(1,))


def same_policy(first: Any, second: Any) -> bool:
    policies = get_layer_policy(first), get_layer_policy(second)
    assert {policy.compute_dtype for policy in policies} == {"float16"}
    return config_of(policies[0].loss_scale) == config_of(policies[1].loss_scale)


def test_a_layers_policy_survives_its_config(layer: Any) -> None:
    config = layer.get_config()
    before = copy.deepcopy(config)
    assert same_policy(layer, tf_keras.layers.Dense.from_config(config))
    assert config == before


@pytest.mark.parametrize("name", ["Policy", "PolicyV1"])
def test_a_layers_policy_is_read_from_the_configs_of_tensorflow_2_1_to_2_4(
    layer: Any, name: str
) -> None:
    policy = {"class_name": name, "config": get_layer_policy(layer).get_config()}
    config = {**layer.get_config(), "dtype": policy}
    assert same_policy(layer, tf_keras.layers.Dense.from_config(config))


@pytest.mark.parametrize("form", ["model.h5", "model.keras", "saved", "json", "clone"])
def test_a_models_layers_keep_their_policies(layer: Any, form: str, tmp_path: Path) -> None:
    model = tf_keras.Sequential([layer])
    model.compile("sgd", "mse")
    if form == "json":
        again = tf_keras.models.model_from_json(model.to_json())
    elif form == "clone":
        again = tf_keras.models.clone_model(model)
    else:
        model.save(tmp_path / form)
        again = tf_keras.models.load_model(tmp_path / form)
    assert same_policy(layer, again.layers[0])


@pytest.mark.needs_private("tf-keras asks a private function what to write as a dtype's name")
@pytest.mark.parametrize(
    ("policy", "dtype"),
    [(Policy("float32"), "float32"), (Policy("float64"), "float64"), (Policy("infer"), None)],
    ids=str,
)
def test_a_layers_config_has_a_policy_of_one_dtype_as_that_dtype(policy: Any, dtype: Any) -> None:
    assert tf_keras.layers.Dense(1, dtype=policy).get_config()["dtype"] == dtype


def test_a_layers_config_states_a_loss_scale_that_was_given() -> None:
    stated = tf_keras.layers.Dense(1, dtype=Policy("float16", 8)).get_config()["dtype"]
    assert stated["config"]["loss_scale"]["class_name"] == "FixedLossScale"


@pytest.mark.needs_private("without them, a name of this package brings its policies back")
def test_a_file_names_the_policy_of_tf_keras_and_loads_without_this_package(tmp_path: Path) -> None:
    layers = [
        tf_keras.layers.Dense(1, dtype=Policy("mixed_float16", 8), input_shape=(1,)),
        tf_keras.layers.Dense(1, dtype=Policy("mixed_float16")),
    ]
    model = tf_keras.Sequential(layers)
    own = tf_keras.layers.Dense(1, dtype=tf_keras.mixed_precision.Policy("mixed_float16"))
    stated, expected = layers[1].get_config()["dtype"], own.get_config()["dtype"]
    assert stated == expected
    assert "compat_lossscale" not in model.to_json()
    (tmp_path / "model.json").write_text(model.to_json(), encoding="utf-8")
    for name in ("model.h5", "model.keras", "saved"):
        model.save(tmp_path / name)
    printed = run_code(
        f"""
        import pathlib, sys, tf_keras
        folder = pathlib.Path({str(tmp_path)!r})
        models = [tf_keras.models.model_from_json((folder / "model.json").read_text())]
        models += [tf_keras.models.load_model(folder / name)
                   for name in ("model.h5", "model.keras", "saved")]
        for model in models:
            print(*(layer.dtype_policy.name for layer in model.layers))
        print("compat_lossscale" in sys.modules)
    """,
        tensorflow_may_be_imported=True,
    )
    assert printed.splitlines() == ["mixed_float16 mixed_float16"] * 4 + ["False"]


def test_a_policy_of_keras_own_comes_back_as_it_is() -> None:
    for policy in ("mixed_float16", "float32", "mixed_bfloat16"):
        given = tf_keras.layers.Dense(1, dtype=tf_keras.mixed_precision.Policy(policy))
        made = tf_keras.layers.Dense.from_config(given.get_config())
        assert type(made.dtype_policy) is tf_keras.mixed_precision.Policy
        assert made.dtype_policy.name == policy


def test_a_layers_policy_without_a_scale_of_its_own_has_one_again_in_a_legacy_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = tf_keras.layers.Dense(1, dtype=Policy("mixed_float16")).get_config()
    assert type(tf_keras.layers.Dense.from_config(config).dtype_policy) is not Policy
    monkeypatch.setattr(base, "old_names_are_installed", True)
    assert type(tf_keras.layers.Dense.from_config(config).dtype_policy) is Policy
