# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_lossscale.equivalence import configs_equivalent
from compat_lossscale.formats import Verdict, convert, hdf5, read
from compat_lossscale.formats.artefact import find_configs
from compat_lossscale.formats.conversion import meaning
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.wrapper_configs import read_wrapper_config
from tests.formats.accept import GENERATIONS, MODELS, convert_models
from tests.formats.samples import (
    ADAM,
    FTRL,
    SGD,
    converted,
    emitted,
    fixed,
    inner_optimizers,
    later,
    multiplied,
    tf23,
)
from tests.formats.samples import doubling as doubling_specs

generations = st.sampled_from(list(Generation))
NEW_ADAM = {
    "module": "keras.optimizers",
    "class_name": "Adam",
    "config": {"name": "Adam", "learning_rate": 0.5, "is_legacy_optimizer": False},
    "registered_name": None,
}


@given(doubling_specs, inner_optimizers, generations, generations, generations)
def test_conversions_between_all_pairs_commute(
    spec: LossScaleSpec, inner: Any, first: Generation, second: Generation, third: Generation
) -> None:
    start = converted(tf23(inner, spec), first)
    by_way_of_second = converted(converted(start, second), third)
    assert configs_equivalent(by_way_of_second, converted(start, third))
    assert meaning(by_way_of_second) == meaning(start)


@given(st.one_of(doubling_specs, fixed, multiplied), inner_optimizers, generations, generations)
def test_there_and_back_keeps_exactly_what_is_not_reported_as_lost(
    spec: LossScaleSpec, inner: Any, source: Generation, target: Generation
) -> None:
    start = convert(tf23(inner, spec), source).config
    if start is None:
        return
    conversion = convert(start, target)
    if conversion.config is None:
        assert conversion.lost
        return
    back = convert(conversion.config, source)
    assert back.config is not None
    said, returned = meaning(start), meaning(back.config)
    lost = {field.name for field in conversion.lost}
    assert {key for key in said if returned.get(key) != said[key]} == lost


@given(doubling_specs, inner_optimizers, generations)
def test_converting_to_its_own_generation_changes_nothing(
    spec: LossScaleSpec, inner: Any, generation: Generation
) -> None:
    config = converted(tf23(inner, spec), generation)
    assert converted(config, generation) == config


@given(doubling_specs, inner_optimizers, generations)
def test_the_converted_config_is_of_the_generation_asked_for_and_the_source_is_untouched(
    spec: LossScaleSpec, inner: Any, generation: Generation
) -> None:
    source = tf23(inner, spec)
    before = copy.deepcopy(source)
    assert read_wrapper_config(converted(source, generation)).generation is generation
    assert source == before


@pytest.mark.parametrize("generation", list(Generation))
def test_a_bare_config_stays_bare_and_a_serialized_one_serialized(generation: Generation) -> None:
    serialized = tf23(SGD, LossScaleSpec())
    assert "class_name" in converted(serialized, generation)
    assert "class_name" not in converted(serialized["config"], generation)


@pytest.mark.parametrize(
    ("config", "target", "field", "reason"),
    [
        (tf23(SGD, LossScaleSpec(multiplier=4)), "tf2.4", "multiplier", "other than 2"),
        (later(SGD, clipnorm=1.0), "tf2.3", "optimizer.clipnorm", "clips gradients"),
        (later(FTRL, beta=0.5), "tf2.3", "optimizer.beta", "before TensorFlow 2.3"),
        (
            later(ADAM, decay=0.5),
            "keras3",
            "optimizer.decay",
            "no decay besides a learning-rate schedule",
        ),
        (later(NEW_ADAM, weight_decay=0.5), "tf2.4", "optimizer.weight_decay", "have no"),
        (later(NEW_ADAM, use_ema=True), "tf2.3", "optimizer.use_ema", "have no use_ema"),
        (later({**NEW_ADAM, "class_name": "Lion"}), "tf2.4", "optimizer", "no optimizer Lion"),
        (
            {"inner_optimizer": NEW_ADAM, "dynamic": False, "initial_scale": 0.5},
            "tf2.3",
            "initial_scale",
            "below 1",
        ),
    ],
)
def test_what_the_target_has_no_words_for_is_lost_and_the_reason_says_what_to_do(
    config: dict[str, Any], target: str, field: str, reason: str
) -> None:
    conversion = convert(config, Generation(target))
    assert [lost.name for lost in conversion.lost] == [field]
    assert reason in conversion.lost[0].reason


def test_a_scale_that_its_own_generation_refuses_can_still_be_converted() -> None:
    conversion = convert({"optimizer": SGD, "loss_scale": 0.5}, Generation.TF24)
    assert conversion.lost == ()
    assert conversion.config is not None
    assert conversion.config["initial_scale"] == 0.5


def test_the_optimizer_of_2_11_keeps_its_family_in_its_own_generation() -> None:
    new = {"class_name": "Adam", "config": NEW_ADAM["config"]}
    config = {"class_name": "LossScaleOptimizerV3", "config": later(new)}
    assert "family" not in [field.name for field in convert(config, Generation.TF24).fields]
    assert converted(config, Generation.TF24) == config


def test_a_change_of_family_and_a_wrappers_own_name_are_noted() -> None:
    config = {"inner_optimizer": NEW_ADAM, "initial_scale": 8.0, "name": "mine"}
    notes = {
        field.name: field.value
        for field in convert(config, Generation.TF24).fields
        if field.verdict is Verdict.NOTED
    }
    assert notes == {"name": "mine", "family": "keras3"}


ACCEPTED = json.loads((Path(__file__).parent / "accepted.json").read_text(encoding="utf-8"))


def test_decay_becomes_a_schedule_where_there_is_no_decay_and_means_the_same() -> None:
    config = converted(later(SGD, decay=0.5), Generation.KERAS3)
    rate = config["inner_optimizer"]["config"]["learning_rate"]
    assert (rate["class_name"], rate["config"]) == (
        "InverseTimeDecay",
        {"initial_learning_rate": 0.5, "decay_steps": 1, "decay_rate": 0.5, "staircase": False},
    )
    assert "decay" not in config["inner_optimizer"]["config"]
    assert configs_equivalent(later(SGD, decay=0.5), config)


@pytest.mark.parametrize(
    ("name", "settings", "epsilon"),
    [
        ("RMSprop", {}, 2.0**-20),
        ("RMSprop", {"momentum": 0.5}, 2.0**-10),
        ("Adagrad", {}, 2.0**-20),
        ("Adam", {}, 2.0**-10),
        ("RMSprop", {"epsilon": None}, None),
    ],
)
def test_an_epsilon_that_is_added_to_a_root_becomes_one_below_it(
    name: str, settings: dict[str, Any], epsilon: float | None
) -> None:
    old = later({"class_name": name, "config": {"epsilon": 2.0**-10, **settings}})
    new = converted(old, Generation.KERAS3)
    assert new["inner_optimizer"]["config"]["epsilon"] == epsilon
    assert configs_equivalent(old, new)
    back = converted(new, Generation.TF24)
    assert back["inner_optimizer"]["config"] == old["inner_optimizer"]["config"]
    [note] = [one for one in convert(old, Generation.KERAS3).fields if one.name == "family"]
    is_changed = epsilon == 2.0**-20
    assert (f"its epsilon is written as {name} of that family" in note.reason) is is_changed


def test_a_loss_scale_without_an_optimizer_is_read_again_in_every_form() -> None:
    for config in (
        LossScaleSpec().to_config("tf2.4"),
        {"class_name": "LossScaleOptimizer", "config": LossScaleSpec().to_config("tf2.4")},
        LossScaleSpec.fixed(8).to_loss_scale_config(),
    ):
        for generation in Generation:
            written = converted(config, generation)
            ((found,), _) = find_configs(written)
            assert found.spec == read_wrapper_config(config).spec


def test_what_we_write_now_is_what_the_old_tensorflows_were_given() -> None:
    written = emitted()
    for version, generation in GENERATIONS.items():
        given_then = {name: outcome["config"] for name, outcome in ACCEPTED[version].items()}
        assert given_then == written[generation.value], (
            f"{version}: run `python -m tests.formats.accept` with the real versions again"
        )


@pytest.mark.parametrize("version", GENERATIONS)
def test_the_real_versions_took_what_we_write_for_them_and_understood_the_same(
    version: str,
) -> None:
    for name, outcome in ACCEPTED[version].items():
        said = meaning(outcome["config"])
        # The settings of an optimizer without a wrapper do not name its class.
        understood = meaning({**outcome["config"], "config": outcome["get_config"]})
        # The version adds the settings that the sample leaves at their defaults.
        assert {key: understood.get(key) for key in said} == said, name


LOADED = json.loads((Path(__file__).parent / "loaded.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", MODELS)
def test_the_real_versions_load_models_converted_for_them_with_the_same_optimizer(
    version: str, tmp_path: Path
) -> None:
    pytest.importorskip("h5py", reason="models are converted with h5py")
    copies = convert_models(version, str(tmp_path))
    assert copies.keys() == LOADED[version].keys()
    for name, copy_ in copies.items():
        artefact = read(copy_)
        said = meaning(artefact.configs[0].config)
        assert said == meaning(LOADED[version][name]["get_config"])
        if artefact.states and artefact.format == hdf5.FORMAT:
            assert LOADED[version][name]["iterations"] == artefact.states[0].iterations


@given(st.one_of(doubling_specs, fixed, multiplied), generations)
def test_a_bare_loss_scale_converts_to_its_part_of_the_config(
    spec: LossScaleSpec, generation: Generation
) -> None:
    conversion = convert(spec.to_loss_scale_config(), generation)
    if conversion.config is None:
        assert conversion.lost
    else:
        assert conversion.config == spec.to_config(generation)
