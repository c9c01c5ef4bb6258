# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed, program


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.keras.mixed_precision import experimental",
            "from tensorflow.keras import mixed_precision as experimental",
        ),
        (
            "from tensorflow.keras.mixed_precision import experimental as prec",
            "from tensorflow.keras import mixed_precision as prec",
        ),
        (
            "from tensorflow.keras.mixed_precision import experimental as mixed_precision",
            "from tensorflow.keras import mixed_precision",
        ),
        (
            "from tensorflow.keras.mixed_precision import (\n    experimental as mp,  # why\n)",
            "from tensorflow.keras import (\n    mixed_precision as mp,  # why\n)",
        ),
        (
            "from tensorflow.compat.v1.keras.mixed_precision import experimental as mp",
            "from tensorflow.keras import mixed_precision as mp",
        ),
        (
            "from tensorflow.compat.v2.keras.mixed_precision import experimental as mp",
            "from tensorflow.keras import mixed_precision as mp",
        ),
        (
            "import tensorflow.keras.mixed_precision.experimental as mp",
            "import tensorflow.keras.mixed_precision as mp",
        ),
        (
            (
                "from tensorflow.python.keras.mixed_precision.experimental import "
                "loss_scale_optimizer as lso"
            ),
            "from tensorflow.keras import mixed_precision as lso",
        ),
        (
            "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer",
            "from tensorflow.keras.mixed_precision import LossScaleOptimizer",
        ),
        (
            "from tensorflow.keras.mixed_precision.experimental import Policy as DTypePolicy",
            "from tensorflow.keras.mixed_precision import Policy as DTypePolicy",
        ),
        (
            "from tensorflow.keras.mixed_precision.experimental import set_policy",
            "from tensorflow.keras.mixed_precision import set_global_policy as set_policy",
        ),
        (
            "from tensorflow.keras.mixed_precision.experimental import set_policy as sp, Policy",
            "from tensorflow.keras.mixed_precision import set_global_policy as sp, Policy",
        ),
        (
            "from tensorflow.train.experimental import DynamicLossScale",
            "from tensorflow.compat.v1.mixed_precision import DynamicLossScale",
        ),
        (
            "from tensorflow.mixed_precision import experimental as mpe",
            "from tensorflow.compat.v1 import mixed_precision as mpe",
        ),
        (
            (
                "from tensorflow.python.training.experimental.loss_scale_optimizer import (\n"
                "    MixedPrecisionLossScaleOptimizer)"
            ),
            ("from tensorflow.compat.v1.mixed_precision import MixedPrecisionLossScaleOptimizer"),
        ),
    ],
)
def test_an_import_that_nothing_here_uses(before: str, after: str) -> None:
    check_transformed(before + "\n", after + "\n")
    check_transformed(
        f"def f():\n    {before}\n".replace("\n    experimental", "\n        experimental"),
        f"def f():\n    {after}\n".replace("\n    mixed_precision", "\n        mixed_precision"),
    )


def test_names_of_several_homes_become_several_imports() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision import experimental as mp, LossScaleOptimizer
        mp.set_policy("mixed_float16")
        opt = LossScaleOptimizer(opt)
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer
        from tensorflow.keras import mixed_precision as mp
        mp.set_global_policy("mixed_float16")
        opt = LossScaleOptimizer(opt)
        """,
    )


def test_what_nothing_uses_any_more_is_not_imported() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        from tensorflow.train.experimental import DynamicLossScale
        opt = LossScaleOptimizer(opt, DynamicLossScale(2 ** 10))
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer
        opt = LossScaleOptimizer(opt, initial_scale=2 ** 10)
        """,
    )


def test_no_gap_is_left_where_an_import_goes() -> None:
    before = """
        import tensorflow as tf
        def f():
            from tensorflow.python.keras.engine import base_layer_utils

            base_layer_utils.enable_v2_dtype_behavior()

            import collections

            tf.keras.mixed_precision.experimental.set_policy(name)
            return collections.Mapping


        from tensorflow.python.keras.engine import base_layer_utils


        def g():
            base_layer_utils.enable_v2_dtype_behavior()
        """
    result = migrate_source(program(before))
    assert result.text == program(
        """
        import tensorflow as tf
        from collections.abc import Mapping
        def f():
            tf.compat.v1.keras.layers.enable_v2_dtype_behavior()

            tf.keras.mixed_precision.set_global_policy(name)
            return Mapping


        def g():
            tf.compat.v1.keras.layers.enable_v2_dtype_behavior()
        """
    )


@pytest.mark.parametrize("name", ["tf", "tf1", "_1"])
def test_an_import_that_a_string_may_use_stays(name: str) -> None:
    check_transformed(
        f"""
        import tensorflow.compat.v1 as {name}
        from tensorflow import keras

        mp = keras.mixed_precision.experimental
        opt = mp.LossScaleOptimizer(opt, {name}.train.experimental.FixedLossScale(8))
        exec("{name}.disable_v2_behavior()")
        """,
        f"""
        import tensorflow.compat.v1 as {name}
        from tensorflow import keras

        mp = keras.mixed_precision
        opt = mp.LossScaleOptimizer(opt, dynamic=False, initial_scale=8)
        exec("{name}.disable_v2_behavior()")
        """,
    )


def test_the_only_statement_of_a_block_becomes_pass() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        def wrap(opt):
            if True:
                from tensorflow.train.experimental import DynamicLossScale
            return LossScaleOptimizer(opt, DynamicLossScale())
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer
        def wrap(opt):
            if True:
                pass
            return LossScaleOptimizer(opt)
        """,
    )


@pytest.mark.parametrize(
    ("comment", "kept"),
    [
        ("# pylint: disable=g-import-not-at-top", ""),
        ("# noqa", ""),
        ("# type: ignore[import]  # no stubs", ""),
        ("# types are asked below", "    # types are asked below\n"),
    ],
)
def test_what_tells_a_tool_about_an_import_goes_with_it(comment: str, kept: str) -> None:
    imported = "from tensorflow.keras.mixed_precision.experimental import get_layer_policy"
    check_transformed(
        f"def f(layer):\n    {imported}  {comment}\n    return get_layer_policy(layer)\n",
        f"def f(layer):\n{kept}    return layer.dtype_policy\n",
    )


def test_comments_in_a_parenthesised_list_stay() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import (  # mixed precision
            LossScaleOptimizer,  # wraps
            get_layer_policy,  # asks
            set_policy,
        )
        set_policy(get_layer_policy(layer))
        opt = LossScaleOptimizer(opt, "dynamic")
        """,
        """
        from tensorflow.keras.mixed_precision import (  # mixed precision
            LossScaleOptimizer,  # wraps
            # asks
            set_global_policy as set_policy,
        )
        set_policy(layer.dtype_policy)
        opt = LossScaleOptimizer(opt)
        """,
    )


def test_an_import_that_a_finding_needs_stays_and_the_rest_finds_another_way() -> None:
    check_review(
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        mp.set_policy("mixed_float16")
        class Mine(mp.LossScaleOptimizer):
            pass
        """,
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        from tensorflow.keras.mixed_precision import set_global_policy
        set_global_policy("mixed_float16")
        class Mine(mp.LossScaleOptimizer):
            pass
        """,
        "LS204 mp.LossScaleOptimizer",
        "line 3 still needs it",
    )


def test_dotted_import_without_as_is_reported() -> None:
    check_review(
        """
        import tensorflow.keras.mixed_precision.experimental
        tensorflow.keras.mixed_precision.experimental.set_policy("mixed_float16")
        """,
        """
        import tensorflow.keras.mixed_precision.experimental
        tensorflow.keras.mixed_precision.set_global_policy("mixed_float16")
        """,
        "the import stays as it is: the names under it are still used",
    )


def test_names_of_a_star_import_are_rewritten_and_the_import_is_reported() -> None:
    check_review(
        """
        import tensorflow as tf
        from tensorflow.keras.mixed_precision.experimental import *
        set_policy("mixed_float16")
        opt = LossScaleOptimizer(opt, "dynamic")
        """,
        """
        import tensorflow as tf
        from tensorflow.keras.mixed_precision.experimental import *
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
        """,
        "which names it brings in cannot be seen here",
    )


def test_star_import_of_tensorflow_itself() -> None:
    check_transformed(
        "from tensorflow import *\nkeras.mixed_precision.experimental.set_policy('mixed_float16')\n",  # noqa: E501  # a program, as it was written
        "from tensorflow import *\nkeras.mixed_precision.set_global_policy('mixed_float16')\n",
    )


def test_dunder_all_keeps_the_local_name() -> None:
    check_transformed(
        """
        from tensorflow.keras.mixed_precision.experimental import set_policy
        __all__ = ["set_policy"]
        """,
        """
        from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        __all__ = ["set_policy"]
        """,
    )


def test_dunder_all_offers_the_constructor_to_others() -> None:
    check_left(
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        __all__ = ["LossScaleOptimizer"]
        """,
        "`__all__` offers LossScaleOptimizer",
    )


def test_string_annotations_and_type_checking_follow() -> None:
    check_transformed(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
            import tensorflow as tf

        def f(opt: "LossScaleOptimizer", p: tf.keras.mixed_precision.experimental.Policy): ...
        """,
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
            import tensorflow as tf

        def f(opt: "LossScaleOptimizer", p: tf.keras.mixed_precision.Policy): ...
        """,
    )


def test_semicolons_and_one_line_blocks() -> None:
    check_transformed(
        """
        import os; from tensorflow.keras.mixed_precision import experimental as mp; print(os)
        if True: mp.set_policy("float32")
        """,
        """
        import os; from tensorflow.keras import mixed_precision as mp; print(os)
        if True: mp.set_global_policy("float32")
        """,
    )


def test_look_alikes() -> None:
    check_noop("from apex.mixed_precision import experimental as mp\nmp.set_policy('x')\n")
    check_noop("from keras.mixed_precision import LossScaleOptimizer\n")
    check_noop("from paddle.fluid.contrib import mixed_precision\nmixed_precision.LossScale()\n")
    check_noop("import jmp\nscale = jmp.DynamicLossScale(2. ** 15)\n")
    check_noop("from .loss_scale import DynamicLossScale\nDynamicLossScale()\n")


def test_an_import_that_stays_for_a_suppressed_use_alone_is_suppressed_as_well() -> None:
    before = (
        "from tensorflow.keras.mixed_precision import experimental as mp\n"
        "a = mp.LossScaleOptimizer(a, None)  # compat-lossscale: ignore\n"
    )
    check_left(before)
    also = "b = mp.LossScaleOptimizer(b, None)\n"
    check_left(before + also, "still needs it", "error in every version")


def test_the_last_names_of_an_import_move_and_the_first_stays() -> None:
    check_review(
        """
        from tensorflow.keras.mixed_precision.experimental import Policy, global_policy, set_policy
        set_policy("mixed_float16")
        use(global_policy(), Policy("float32", scale))
        """,
        """
        from tensorflow.keras.mixed_precision.experimental import Policy
        from tensorflow.keras.mixed_precision import global_policy, set_global_policy as set_policy
        set_policy("mixed_float16")
        use(global_policy(), Policy("float32", scale))
        """,
        "still needs it",
        "known only when the program runs",
    )
