# SPDX-License-Identifier: Apache-2.0
"""An import goes with its last use, and stays while anything may need it."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_transformed

WRAP = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
BEFORE = f"""
    {{text}}
    import tensorflow as tf
    from tensorflow.train import experimental as dynamic
    opt = {WRAP}(opt, dynamic.DynamicLossScale())
    """
AFTER = """
    {text}
    import tensorflow as tf
    opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
    """


@pytest.mark.parametrize(
    "text", ['"""With a dynamic loss scale."""', '"""dynamic"""', "print('a dynamic scale')"]
)
def test_a_word_in_a_text_is_no_use(text: str) -> None:
    check_transformed(BEFORE.format(text=text), AFTER.format(text=text))


@pytest.mark.parametrize("text", ["eval('dynamic.x')", "f('dynamic')", "exec('x = dynamic')"])
def test_code_in_a_string_may_be_a_use(text: str) -> None:
    kept = "from tensorflow.train import experimental as dynamic\n    opt"
    check_transformed(BEFORE.format(text=text), AFTER.format(text=text).replace("opt", kept, 1))


TRIED = """
try:
    from tensorflow.train.experimental import DynamicLossScale{more}
except ImportError:
    {handled}
import tensorflow as tf
opt = {wrap}(opt, DynamicLossScale(8))
{behind}
"""


@pytest.mark.parametrize(
    ("more", "behind"),
    [
        ("", ""),
        (
            "\n    from tensorflow.train.experimental import FixedLossScale",
            f"other = {WRAP}(plain, FixedLossScale(8))",
        ),
        (", FixedLossScale", "print(FixedLossScale)"),
        ("\n    from os import path", "print(path)"),
    ],
    ids=["one name", "two imports", "a name that is used", "another import"],
)
def test_a_try_goes_with_all_that_is_in_it(more: str, behind: str) -> None:
    source = TRIED.format(more=more, behind=behind, handled="pass", wrap=WRAP)
    result = migrate_source(source)
    assert result.problem == ""
    assert "LossScaleOptimizer(opt, initial_scale=8)" in result.text
    assert ("try:" in result.text) is ("print" in behind)
    assert "try:\n    pass" not in result.text


def test_a_try_whose_handler_does_something_stays() -> None:
    source = TRIED.format(more="", behind="", handled="print('none')", wrap=WRAP)
    text = migrate_source(source).text
    assert "try:\n    pass\nexcept ImportError:\n    print('none')\n" in text


def test_a_try_that_is_all_of_a_function() -> None:
    check_transformed(
        """
        def f():
            try:
                from tensorflow.keras.mixed_precision.experimental import get_layer_policy
                from tensorflow.keras.mixed_precision.experimental import Policy
                print(get_layer_policy(layer).name)
            except ImportError:
                pass
        """,
        """
        def f():
            try:
                from tensorflow.keras.mixed_precision import Policy
                print(layer.dtype_policy.name)
            except ImportError:
                pass
        """,
    )
