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
        "logs.pop('lr')",
        "tf.keras.backend.clear_session()",
        "print(fit(callbacks.ReduceLROnPlateau()).history.items())",
        "l2 = [f(v) for v in model.trainable_variables if 'batch_norm' not in v.name]",
        "l2 = [f(v) for v in model.trainable_variables if not any(p in v.name for p in left)]",
        "held = [v for v in model.variables if re.match(pattern, v.name)]",
    ],
)
def test_what_keras_3_writes_otherwise_is_reported(line: str, target: str) -> None:
    assert reviews_of(line, target) == ["LS911"]


@pytest.mark.parametrize(
    "line",
    [
        "print([v.dtype for v in model.weights])",
        "print([v.name for v in model.weights], [v for v in model.weights if 'bias' in v.name])",
        "l2 = [f(v) for v in layers if 'batch_norm' not in v.name]",
        "print([v.dtype.name for v in gradients])",
        "print(x.dtype.name)",
        "print(layer.get_config()['units'])",
        "print(settings()['dtype'])",
        "print(model.fit(data).history)",
        "print(fit(callbacks.ReduceLROnPlateau()).history['loss'])",
        "print(options['lr'])",
        "print(options.get('lr'), logs.get('loss'))",
    ],
)
def test_what_is_the_same_in_both_is_left(line: str) -> None:
    assert reviews_of(line) == []


LAYERS = """\
x = tf.keras.Input((4,))
dense = tf.keras.layers.Dense(4)
y = dense(x)
for units in (4, 8):
    x = tf.keras.layers.Dense(units)(x)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(x.dtype.name)", "print(tf.as_dtype(x.dtype).name)"),
        (
            "w = dense.add_weight()\nprint(w.dtype.name)",
            "w = dense.add_weight()\nprint(tf.as_dtype(w.dtype).name)",
        ),
        ("print(y.dtype.name)", "print(tf.as_dtype(y.dtype).name)"),
        ("print(dense.kernel.dtype.name)", "print(tf.as_dtype(dense.kernel.dtype).name)"),
    ],
)
def test_a_dtype_that_is_a_string_is_made_one_of_tensorflow(before: str, after: str) -> None:
    result = migrate_source(f"{HEAD}{LAYERS}{before}\n", target="keras3")
    assert result.output.decode().endswith(f"{LAYERS}{after}\n")


def test_without_a_name_for_tensorflow_it_is_reported() -> None:
    source = HEAD.replace("import tensorflow as tf", "from tensorflow import keras")
    source = source.replace("tf.keras", "keras") + "print(layer.kernel.dtype.name)\n"
    (record,) = (one for one in migrate_source(source, target="keras3").records if one.line == 3)
    assert (record.rule, record.is_finding, record.stops) == ("LS911", True, True)


def test_a_policy_that_is_set_behind_is_not_reset() -> None:
    line = "tf.keras.backend.clear_session()\n"
    policy = HEAD.splitlines()[1]
    made = f"def make():\n    {line}    {policy}\n"
    assert reviews_of(f"{line}{policy}") == []
    result = migrate_source(f"{HEAD}{made}", target="keras3")
    assert not [one for one in result.records if one.rule == "LS911"]
    assert reviews_of(f"{line}def make():\n    {policy}") == ["LS911"]


def test_for_tf_keras_nothing_is_reported() -> None:
    assert reviews_of("print(model.weights[0].dtype.name)", "tf-keras") == []
