# SPDX-License-Identifier: Apache-2.0
"""What a generation's form leaves out, and how it writes objects."""

from __future__ import annotations

from typing import Any

import pytest

from compat_lossscale.formats import Verdict, convert
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ADAM, FTRL, NADAM, SGD, converted, later, tf23


@pytest.mark.parametrize(
    ("inner", "target", "kept"),
    [
        # The default of one family's option that the other does not have says nothing.
        (SGD, Generation.KERAS3, {"name", "learning_rate", "momentum", "nesterov"})
    ],
)
def test_options_at_their_default_are_left_out_where_they_do_not_exist(
    inner: dict[str, Any], target: Generation, kept: set[str]
) -> None:
    config = converted(tf23(inner, LossScaleSpec()), target)["config"]
    assert config["inner_optimizer"]["config"].keys() == kept


def test_the_schedule_of_a_legacy_nadam_is_lost_in_keras_3() -> None:
    conversion = convert(tf23(NADAM, LossScaleSpec()), Generation.KERAS3)
    assert [field.name for field in conversion.lost] == ["optimizer.schedule"]
    assert "0.96 ** (0.004 * step)" in conversion.lost[0].reason


def test_a_fixed_scale_is_an_option_of_keras_3s_optimizer_itself() -> None:
    fixed = {"inner_optimizer": SGD, "dynamic": False, "initial_scale": 8.0}
    config = converted(fixed, Generation.KERAS3)
    assert (config["class_name"], config["config"]["loss_scale_factor"]) == ("SGD", 8.0)
    back = converted(config, Generation.TF_KERAS)["config"]
    assert (back["dynamic"], back["initial_scale"]) == (False, 8.0)


def test_an_option_that_the_oldest_versions_refuse_is_left_out_at_its_default() -> None:
    assert "beta" not in converted(later(FTRL), Generation.TF23)["optimizer"]["config"]


def test_a_learning_rate_schedule_is_respelled_on_the_way() -> None:
    config = converted(tf23(ADAM, LossScaleSpec()), Generation.TF_KERAS)["config"]
    schedule = config["inner_optimizer"]["config"]["learning_rate"]
    assert schedule["module"] == "keras.optimizers.schedules"
    back = converted(config, Generation.TF23)
    assert back["optimizer"] == ADAM


def test_a_users_own_optimizer_is_passed_on_as_it_is_and_noted() -> None:
    own = {
        "module": "my.code",
        "class_name": "Own",
        "config": {"learning_rate": 1.0, "decay": 0.5, "secret": [1]},
        "registered_name": "Package>Own",
    }
    conversion = convert({"inner_optimizer": own, "dynamic": True}, Generation.TF23)
    assert conversion.config is not None
    assert conversion.config["optimizer"] == {"class_name": "Package>Own", "config": own["config"]}
    notes = [field.name for field in conversion.fields if field.verdict is Verdict.NOTED]
    assert (conversion.lost, notes) == ((), ["own class"])
    inner = converted({"inner_optimizer": own, "dynamic": True}, Generation.KERAS3)
    assert inner["inner_optimizer"] == own


def test_what_a_users_own_wrapper_says_besides_is_lost_and_its_class_noted() -> None:
    config = {"class_name": "Own>Wrapper", "config": later(SGD) | {"patience": 3}}
    conversion = convert(config, Generation.KERAS3)
    assert [(field.name, field.value) for field in conversion.lost] == [("wrapper.patience", 3)]
    assert "Keras' own LossScaleOptimizer takes no such setting" in conversion.lost[0].reason
    notes = {f.name: f.value for f in conversion.fields if f.verdict is Verdict.NOTED}
    assert notes["wrapper"] == "Own>Wrapper"
