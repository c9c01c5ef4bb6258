# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
MIXED_IN = "class Loss:\n    def compute_loss(self, x): return x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s.experimental_run_v2(f, args=(x,))", "s.run(f, args=(x,))"),
        ("self.strategy . experimental_run_v2 (f)", "self.strategy . run (f)"),
        (
            "run = tf.distribute.get_strategy().experimental_run_v2",
            "run = tf.distribute.get_strategy().run",
        ),
        ("tf.distribute.Strategy.experimental_run_v2(s, f)", "tf.distribute.Strategy.run(s, f)"),
        (
            "x = s.experimental_run_v2(lambda: s.experimental_run_v2(f))",
            "x = s.run(lambda: s.run(f))",
        ),
    ],
)
def test_the_method_is_respelled(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")
    assert f"{after}\n" in migrate_source(f"{OLD}{before}\n", target="compat").text


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "class S:\n    def experimental_run_v2(self): pass\nS().experimental_run_v2()",
            "of its own",
        ),
        ("options.experimental_optimization.map_vectorization.enabled = True", "take it out"),
        ("options.map_vectorization = x", "take it out"),
        (f"{MIXED_IN}class Net(tf.keras.Model, Loss): pass", "Keras' own compute_loss"),
        (f"{MIXED_IN}class Net(tf.keras.models.Model, object, Loss): pass", "found before"),
    ],
)
def test_what_has_no_successor_is_reported(lines: str, message: str) -> None:
    check_review(f"{OLD}{lines}\n", f"{NEW}{lines}\n", message)


@pytest.mark.parametrize(
    "lines",
    [
        "run = s.run if hasattr(s, 'run') else s.experimental_run_v2",
        "try:\n    s.experimental_run_v2(f)\nexcept AttributeError:\n    s.run(f)",
        "experimental_run_v2(f)",
        "run = getattr(s, 'experimental_run_v2', s.run)",
        "run = getattr(s, 'experimental_run')",
        f"{MIXED_IN}class Net(Loss, tf.keras.Model): pass",
        f"{MIXED_IN}class Net(tf.Module, Loss): pass",
        "class Loss: pass\nclass Net(tf.keras.Model, Loss): pass",
    ],
)
def test_what_does_not_fail_stays(lines: str) -> None:
    check_transformed(f"{OLD}{lines}\n", f"{NEW}{lines}\n")


def test_programs_without_loss_scaling_are_left_unless_it_is_selected() -> None:
    line = "s.experimental_run_v2(f)\n"
    check_left(line)
    check_transformed(line, "s.run(f)\n", select=("LS903",))


@pytest.mark.parametrize("place", ["layers", "layers.experimental.preprocessing"])
def test_a_normalization_under_a_policy_of_float16(place: str) -> None:
    line = f"n = tf.keras.{place}.Normalization()\n"
    check_review(OLD + line, NEW + line, "dtype='float32'", target="tf-keras")
    typed = line.replace("()", "(dtype='float32')")
    check_transformed(OLD + typed, NEW + typed, target="tf-keras")
    old, new = (text.replace("mixed_float16", "float32") for text in (OLD, NEW))
    check_transformed(old + line, new + line, target="tf-keras")
    line = "n = tf.keras.layers.Normalization()\n"
    check_transformed(OLD + line, NEW + line, target="keras3")
