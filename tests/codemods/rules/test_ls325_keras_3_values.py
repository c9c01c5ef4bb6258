# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

HEAD = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
)


def reviews_of(line: str, target: str = "keras3") -> list[str]:
    result = migrate_source(f"{HEAD}{line}\n", target=target)
    return [record.rule for record in result.records if record.line == 3]


@pytest.mark.parametrize("target", ["keras3", "keras3-alone"])
@pytest.mark.parametrize(
    "line",
    [
        "print(model.trainable_variables[0].dtype.is_floating)",
        "print(model.variables[0].dtype.base_dtype)",
        "print(layer.kernel.dtype.name)",
        "print(tf.keras.Input((4,)).dtype.name)",
        "print(layer.get_config()['dtype'])",
        "print(model.fit(data).history['lr'])",
        "print(type(opt).__mro__[1])",
        "tf.keras.backend.clear_session()",
        "print(fit(callbacks.ReduceLROnPlateau()).history.items())",
    ],
)
def test_what_keras_3_writes_otherwise_is_reported(line: str, target: str) -> None:
    assert reviews_of(line, target) == ["LS911"]


@pytest.mark.parametrize(
    "line",
    [
        "print([v.dtype for v in model.weights])",
        "print([v.dtype.name for v in gradients])",
        "print(x.dtype.name)",
        "print(layer.get_config()['units'])",
        "print(settings()['dtype'])",
        "print(model.fit(data).history)",
        "print(fit(callbacks.ReduceLROnPlateau()).history['loss'])",
        "print(options['lr'])",
    ],
)
def test_what_is_the_same_in_both_is_left(line: str) -> None:
    assert reviews_of(line) == []


def test_for_tf_keras_nothing_is_reported() -> None:
    assert reviews_of("print(model.weights[0].dtype.name)", "tf-keras") == []
