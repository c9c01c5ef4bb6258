# SPDX-License-Identifier: Apache-2.0
"""How new names are written through names that stand for several modules."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_review, check_transformed


@pytest.mark.parametrize(
    ("first", "second", "use", "after"),
    [
        (
            "import tf_keras as keras",
            "from tensorflow import keras",
            "keras.mixed_precision.experimental.set_policy('float32')",
            "keras.mixed_precision.set_global_policy('float32')",
        ),
        (
            "import tf_keras as keras",
            "import tensorflow.keras as keras",
            "opt = keras.mixed_precision.experimental.LossScaleOptimizer(o, 8)",
            "opt = keras.mixed_precision.LossScaleOptimizer(o, dynamic=False, initial_scale=8)",
        ),
        (
            "from tf_keras import mixed_precision",
            "from tensorflow.keras import mixed_precision",
            "policy = mixed_precision.experimental.global_policy()",
            "policy = mixed_precision.global_policy()",
        ),
    ],
)
def test_a_module_from_either_of_two_packages(
    first: str, second: str, use: str, after: str
) -> None:
    head = f"try:\n    {first}\nexcept ImportError:\n    {second}\n"
    check_transformed(f"{head}{use}\n", f"{head}{after}\n")


def test_a_name_from_either_of_two_packages() -> None:
    check_transformed(
        """
        try:
            from tf_keras.mixed_precision import experimental as mp
        except ImportError:
            from tensorflow.keras.mixed_precision import experimental as mp
        mp.set_policy('mixed_float16')
        """,
        """
        try:
            from tf_keras import mixed_precision as mp
        except ImportError:
            from tensorflow.keras import mixed_precision as mp
        mp.set_global_policy('mixed_float16')
        """,
    )


def test_a_type_that_is_told_through_either_package() -> None:
    either = ("import tf_keras as keras", "from tensorflow import keras")
    head = "try:\n    {}\nexcept ImportError:\n    {}\n".format(*either)
    new = "keras.mixed_precision.LossScaleOptimizer"
    check_transformed(
        f"{head}opt = {new}(o)\nprint(opt.loss_scale())\n",
        f"{head}opt = {new}(o)\nprint(opt.loss_scale)\n",
    )


@pytest.mark.parametrize("unit", ["  ", "   ", "    ", "\t"])
def test_the_helper_has_the_file_s_indentation(unit: str) -> None:
    source = (
        "import tensorflow as tf\n\n\ndef wrap(opt, config):\n"
        f"{unit}scale = config.loss_scale\n"
        f"{unit}return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)\n"
    )
    lines = migrate_source(source).text.splitlines()
    indented = {line[: len(line) - len(line.lstrip())] for line in lines}
    assert indented == {"", unit, unit * 2}


def test_new_imports_from_one_module_share_a_statement() -> None:
    check_review(
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        print(mp)
        mp.set_policy("mixed_float16")
        opt = mp.LossScaleOptimizer(opt, "dynamic")
        """,
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        from tensorflow.keras.mixed_precision import LossScaleOptimizer, set_global_policy
        print(mp)
        set_global_policy("mixed_float16")
        opt = LossScaleOptimizer(opt)
        """,
        "still needs it",
        "passed on",
    )


POLICIES = """
    {}from tensorflow.keras.mixed_precision.experimental import Policy
    a = Policy("mixed_float16", loss_scale=None)
    b = {}
    """


def test_no_second_name_for_what_is_imported_in_the_old_way() -> None:
    check_left(
        POLICIES.format("", 'Policy("float32")'),
        "the import stays",
        "always wraps",
        "it would be imported as Policy, which the file has already",
    )


def test_another_way_to_what_is_imported_in_the_old_way() -> None:
    check_review(
        POLICIES.format("import tensorflow as tf\n    ", 'Policy("float32")'),
        POLICIES.format(
            "import tensorflow as tf\n    ", 'tf.keras.mixed_precision.Policy("float32")'
        ),
        "the import stays",
        "always wraps",
    )
