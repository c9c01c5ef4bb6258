# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.rewriting import engine
from lossscale_codemods.rules.loss_scale_arguments import HELPER_SOURCE
from lossscale_codemods.tables.names import HELPER

from tests.codemods.checks import check_left, check_review, check_transformed, program, reviews
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt, 'dynamic'", "opt"),
        ("opt, loss_scale='dynamic'", "opt"),
        ("opt, loss_scale='dynamic',", "opt,"),
        ("opt , 'dynamic' ,", "opt ,"),
        ("optimizer=opt, loss_scale='dynamic'", "inner_optimizer=opt"),
        ("opt=opt, loss_scale='dynamic'", "inner_optimizer=opt"),
        ("loss_scale='dynamic', optimizer=opt", "inner_optimizer=opt"),
        ("opt, 128", "opt, dynamic=False, initial_scale=128"),
        ("opt, loss_scale=128.0", "opt, dynamic=False, initial_scale=128.0"),
        ("opt, 2 ** 15", "opt, dynamic=False, initial_scale=2 ** 15"),
        ("opt, (2 ** 15)", "opt, dynamic=False, initial_scale=(2 ** 15)"),
        ("opt, True", "opt, dynamic=False, initial_scale=1.0"),
        ("opt, float(scale)", "opt, dynamic=False, initial_scale=float(scale)"),
        ("opt, tf.train.experimental.FixedLossScale(64)", "opt, dynamic=False, initial_scale=64"),
        ("opt, tf.mixed_precision.experimental.DynamicLossScale()", "opt"),
        (
            "opt, tf.mixed_precision.experimental.DynamicLossScale(2 ** 15, 2000, 2.)",
            "opt, initial_scale=2 ** 15, dynamic_growth_steps=2000",
        ),
        (
            "opt, tf.mixed_precision.experimental.DynamicLossScale(increment_period=n)",
            "opt, dynamic_growth_steps=n",
        ),
        (
            (
                "opt, tf.mixed_precision.experimental.DynamicLossScale("
                "initial_loss_scale=(2**12), increment_period=params['steps'])"
            ),
            "opt, initial_scale=(2**12), dynamic_growth_steps=params['steps']",
        ),
        (
            "opt, tf.compat.v1.mixed_precision.DynamicLossScale(2 ** 10)",
            "opt, initial_scale=2 ** 10",
        ),
        ("tf.keras.optimizers.Adam(1e-3), 'dynamic'", "tf.keras.optimizers.legacy.Adam(1e-3)"),
    ],
)
def test_arguments(before: str, after: str) -> None:
    check_transformed(
        f"import tensorflow as tf\nopt = {OLD}({before})\n",
        f"import tensorflow as tf\nopt = {NEW}({after})\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("opt, None", "an error in every version"),
        ("opt, 'auto'", "an error in every version"),
        ("opt", "an error in every version"),
        ("loss_scale='dynamic'", "an error in every version"),
        ("opt, **kwargs", "unpacked"),
        ("*args", "unpacked"),
        ("opt, 'dynamic', name='x'", "an error in every version"),
        ("opt, tf.train.experimental.DynamicLossScale(**c)", "unpacked"),
    ],
)
def test_arguments_that_are_left(arguments: str, message: str) -> None:
    result = migrate_source(f"import tensorflow as tf\nopt = {OLD}({arguments})\n")
    assert not result.changed
    assert message in result.records[0].message


def test_several_lines_keep_their_layout_and_comments() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        opt = {OLD}(
            # the optimizer
            opt,
            # the scale
            loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
                initial_loss_scale=2 ** 10,
                increment_period=500,
            ),  # behind
        )
        """,
        f"""
        import tensorflow as tf
        opt = {NEW}(
            # the optimizer
            opt,
            # the scale
            initial_scale=2 ** 10,
            dynamic_growth_steps=500,  # behind
        )
        """,
    )


def test_a_removed_argument_leaves_the_comment_above_it() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        opt = ({OLD}(
            opt,  # the optimizer
            # always dynamic
            loss_scale="dynamic",
        ))
        """,
        f"""
        import tensorflow as tf
        opt = ({NEW}(
            opt,  # the optimizer
            # always dynamic
        ))
        """,
    )


def test_crlf_tabs_and_a_byte_order_mark() -> None:
    before = f"import tensorflow as tf\r\nif x:\r\n\topt = {OLD}(\r\n\t\topt,\r\n\t\t8)\r\n"
    after = (
        f"import tensorflow as tf\r\nif x:\r\n\topt = {NEW}(\r\n\t\topt,\r\n"
        "\t\tdynamic=False,\r\n\t\tinitial_scale=8)\r\n"
    )
    for mark in (b"", b"\xef\xbb\xbf"):
        result = migrate_source(mark + before.encode())
        assert result.output == mark + after.encode()


def test_a_variable_is_folded_and_removed() -> None:
    check_transformed(
        f"""
        import tensorflow as tf

        def wrap(opt):
            # the scale
            scale = tf.mixed_precision.experimental.DynamicLossScale(2 ** 10)
            return {OLD}(opt, loss_scale=scale)
        """,
        f"""
        import tensorflow as tf

        def wrap(opt):
            # the scale
            return {NEW}(opt, initial_scale=2 ** 10)
        """,
    )


def test_a_comment_behind_the_argument_stays() -> None:
    check_transformed(
        f"import tensorflow as tf\nopt = {OLD}(\n    opt,\n    'dynamic',  # as usual\n)\n",
        f"import tensorflow as tf\nopt = {NEW}(\n    opt,  # as usual\n)\n",
    )


def test_a_variable_that_is_dynamic() -> None:
    check_transformed(
        f"import tensorflow as tf\nscale = 'dynamic'\nopt = {OLD}(opt, scale)\n",
        f"import tensorflow as tf\nopt = {NEW}(opt)\n",
    )
    check_transformed(
        f"import tensorflow as tf\nscale = 'dynamic'\nopt = {OLD}(opt, scale)\nprint(scale)\n",
        f"import tensorflow as tf\nscale = 'dynamic'\nopt = {NEW}(opt)\nprint(scale)\n",
    )


def test_arguments_stay_in_the_order_in_which_they_are_evaluated() -> None:
    scale = "tf.train.experimental.DynamicLossScale"
    check_transformed(
        f"""
        import tensorflow as tf
        opt = {OLD}(opt, {scale}(increment_period=next(it), initial_loss_scale=next(it)))
        opt = {OLD}(loss_scale={scale}(next(it), next(it)), optimizer=make())
        """,
        f"""
        import tensorflow as tf
        opt = {NEW}(opt, dynamic_growth_steps=next(it), initial_scale=next(it))
        opt = {NEW}(initial_scale=next(it), dynamic_growth_steps=next(it), inner_optimizer=make())
        """,
    )


def test_a_variable_that_is_a_number_stays_a_variable() -> None:
    check_transformed(
        f"import tensorflow as tf\nSCALE = 128\nopt = {OLD}(opt, SCALE)\n",
        f"import tensorflow as tf\nSCALE = 128\n"
        f"opt = {NEW}(opt, dynamic=False, initial_scale=SCALE)\n",
    )


def test_a_variable_that_is_one_or_the_other_takes_the_short_helper() -> None:
    head = 'import tensorflow as tf\nif c:\n    scale = "dynamic"\nelse:\n    scale = 128\n'
    text = migrate_source(program(f"{head}opt = {OLD}(make(), scale)\n")).text
    assert f"{NEW}(make(), **_dynamic_or_fixed(scale))" in text
    assert "_loss_scale_arguments" not in text


def test_a_conditional_expression_takes_the_short_helper() -> None:
    condition = "'dynamic' if f() else 8"
    text = migrate_source(program(f"import tensorflow as tf\nopt = {OLD}(o, {condition})\n")).text
    assert f"{NEW}(o, **_dynamic_or_fixed({condition}))" in text


@pytest.mark.parametrize("value", ["scale", "config.loss_scale", "get_loss_scale(flags)", "a[0]"])
def test_a_value_that_only_the_running_program_knows(value: str) -> None:
    check_transformed(
        f"import tensorflow as tf\n\ndef wrap(opt, scale):\n    return {OLD}(opt, {value})\n",
        f"import tensorflow as tf\n\n{HELPER_SOURCE}\n\ndef wrap(opt, scale):\n"
        f"    return {NEW}(opt, **_loss_scale_arguments({value}))\n",
    )


def test_a_second_value_uses_the_same_helper() -> None:
    first = migrate_source(
        program(f"import tensorflow as tf\ndef wrap(opt, scale):\n    return {OLD}(opt, scale)\n")
    ).text
    second = migrate_source(first + f"\nopt = {OLD}(opt, f())\n").text
    assert second.count("def _loss_scale_arguments") == 1
    assert second.endswith(f"opt = {NEW}(opt, **_loss_scale_arguments(f()))\n")


def test_a_loss_scale_that_two_optimizers_share() -> None:
    for rest in (
        f"a = {OLD}(a, scale)\nb = {OLD}(b, scale)\n",
        f"opts = [{OLD}(o, scale) for o in opts]\n",
    ):
        line = "import tensorflow as tf\nscale = tf.{}.DynamicLossScale()\n"
        check_review(
            line.format("train.experimental") + rest,
            line.format("compat.v1.mixed_precision") + rest,
            *["its state"] * rest.count(OLD),
        )


@pytest.mark.parametrize(
    ("made", "between"),
    [
        ("FixedLossScale(next(numbers))", "steps = next(numbers)"),
        ("FixedLossScale(config.scale)", "update(config)"),
        ("DynamicLossScale(start)", "start = 1"),
    ],
)
def test_an_object_of_values_that_may_change_is_read_by_the_helper(made: str, between: str) -> None:
    body = """
        import tensorflow as tf
        def wrap(opt, numbers, config, start):
            scale = tf.{}.{}
            {}
            return tf.keras.mixed_precision.{}
        """
    result = migrate_source(
        program(
            body.format(
                "train.experimental", made, between, "experimental.LossScaleOptimizer(opt, scale)"
            )
        )
    )
    called = "LossScaleOptimizer(opt, **_loss_scale_arguments(scale))"
    new = program(body.format("compat.v1.mixed_precision", made, between, called))
    assert reviews(result) == []
    assert result.text.endswith(new.partition("def wrap")[2])


def test_shapes() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def wrap(opt):
            if fp16: opt = {OLD}(opt, 'dynamic')
            model.compile(optimizer={OLD}(tf.keras.optimizers.RMSprop(1e-3), 1000))
            return {OLD}(opt, 'dynamic') if flag else opt
        """,
        f"""
        import tensorflow as tf
        def wrap(opt):
            if fp16: opt = {NEW}(opt)
            model.compile(optimizer={NEW}(tf.keras.optimizers.legacy.RMSprop(1e-3), dynamic=False, initial_scale=1000))
            return {NEW}(opt) if flag else opt
        """,  # noqa: E501  # a program, as it was written
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (f"s = 128 if flag else {{scale}}(multiplier=4)\nopt = {OLD}(opt, s)\n", "multiplier of 4"),
        (f"opt = {OLD}(opt, given or {{scale}}(multiplier=4))\n", "multiplier of 4"),
        (f"opt = {OLD}(opt, 128 if flag else {{scale}}(**given))\n", "are unpacked"),
        (
            f"s = 128 if flag else {{scale}}(64)\nopt = {OLD}(opt, s)\nprint(s())\n",
            "shares its state",
        ),
    ],
)
def test_an_object_on_one_side_of_a_condition_is_read_as_elsewhere(
    lines: str, message: str
) -> None:
    old = lines.format(scale="tf.train.experimental.DynamicLossScale")
    new = lines.format(scale="tf.compat.v1.mixed_precision.DynamicLossScale")
    check_review(f"import tensorflow as tf\n{old}", f"import tensorflow as tf\n{new}", message)


def test_a_multiplier_other_than_two() -> None:
    check_left(
        f"""
        import tensorflow as tf
        opt = {OLD}(opt, tf.train.experimental.DynamicLossScale(multiplier=factor))
        """,
        "a multiplier of factor has no equivalent",
    )


def test_an_optimizer_that_comes_from_elsewhere() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        class Trainer(Base):
            def wrap(self):
                global opt
                opt = {OLD}(opt, "dynamic")
                self.opt = {OLD}(self.opt, "dynamic")
        """,
        f"""
        import tensorflow as tf
        class Trainer(Base):
            def wrap(self):
                global opt
                opt = {NEW}(opt)
                self.opt = {NEW}(self.opt)
        """,
    )


def test_a_wrapped_wrapper() -> None:
    check_review(
        f"""
        import tensorflow as tf
        a = {OLD}(opt, 8)
        b = {OLD}(a, 8)
        """,
        f"""
        import tensorflow as tf
        a = {NEW}(opt, dynamic=False, initial_scale=8)
        b = {OLD}(a, 8)
        """,
        "wraps a loss-scale optimizer",
    )


@pytest.mark.parametrize("made", ["RevisedDynamicLossScale()", "schedules.MyLossScale(8)"])
def test_a_loss_scale_of_a_class_of_ones_own_is_left(made: str) -> None:
    check_left(
        f"""
        import tensorflow as tf
        import schedules
        from schedules import RevisedDynamicLossScale
        scale = {made}
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=scale)
        """,
        f"takes {made.partition('(')[0]}",
    )


def test_the_helper_refuses_a_loss_scale_of_ones_own() -> None:
    class Revised(engine.DynamicLossScale):
        pass

    helper: dict[str, Any] = {}
    exec(HELPER_SOURCE, helper)
    assert helper[HELPER](engine.DynamicLossScale(8.0, 3))["dynamic_growth_steps"] == 3
    with pytest.raises(ValueError, match="no equivalent"):
        helper[HELPER](Revised(8.0, 3))


def test_an_argument_that_may_be_of_a_class_of_the_file() -> None:
    source = """
        import tensorflow as tf
        class Capped(tf.mixed_precision.experimental.DynamicLossScale):
            pass
        def wrap(opt, scale):
            return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)
        """
    left = migrate_source(program(source))
    assert any("takes one of a class of this file" in text for text in reviews(left))
    assert "experimental.LossScaleOptimizer(opt, scale)" in left.text
    made = migrate_source(program(source), unsafe_fixes=True)
    assert "mixed_precision.LossScaleOptimizer(opt, **_loss_scale_arguments(scale))" in made.text


@pytest.mark.parametrize("value", [np.float32(8), np.int64(8), "foo", [8.0], None, {}])
def test_the_helper_refuses_what_the_old_constructor_refused(value: object) -> None:
    helper: dict[str, Any] = {}
    exec(HELPER_SOURCE, helper)
    with pytest.raises(ValueError, match="no equivalent"):
        helper[HELPER](value)


@pytest.mark.parametrize("value", [8, 8.0, np.float64(8), True])
def test_the_helper_takes_the_numbers_that_the_old_constructor_took(value: float) -> None:
    helper: dict[str, Any] = {}
    exec(HELPER_SOURCE, helper)
    assert helper[HELPER](value) == {"dynamic": False, "initial_scale": value}


def test_a_function_of_the_helper_s_name_leaves_the_constructor() -> None:
    own = "def _loss_scale_arguments(x):\n    return {}\n"
    check_left(f"import tensorflow as tf\n{own}opt = {OLD}(opt, scale)\n", "of its own")


def test_a_helper_of_an_earlier_run_is_used_again() -> None:
    old = "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)\n"
    first = migrate_source(f"import tensorflow as tf\n{old}")
    again = migrate_source(first.text + old)
    assert again.text.count("def _loss_scale_arguments") == 1


def test_comments_inside_of_what_changes_are_kept() -> None:
    check_transformed(
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            opt,
            tf.train.experimental.DynamicLossScale(
                2 ** 10,  # start low
                increment_period=500,
            ),
        )
        """,
        """
        import tensorflow as tf
        # start low
        opt = tf.keras.mixed_precision.LossScaleOptimizer(
            opt,
            initial_scale=2 ** 10,
            dynamic_growth_steps=500,
        )
        """,
    )


def test_a_call_that_is_right_for_the_new_class_is_not_called_wrong() -> None:
    for call in ("LossScaleOptimizer(opt)", "LossScaleOptimizer(opt, initial_scale=8)"):
        check_left(
            f"""
            try:
                from tensorflow.keras.mixed_precision import LossScaleOptimizer
            except ImportError:
                from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
            opt = {call}
            """,
            "LS701",
            "for which the call is right",
        )


def test_a_dynamic_loss_scale_of_another_file_is_shared_with_it(tmp_path: Path) -> None:
    files = {
        "scale.py": "loss_scale = tf.mixed_precision.experimental.DynamicLossScale(64, 1)\n",
        "names.py": "from scale import loss_scale\nx = old.LossScaleOptimizer(o, loss_scale)\n",
        "module.py": "import scale\nx = old.LossScaleOptimizer(o, scale.loss_scale)\n",
    }
    found = migrated(tmp_path, files)
    for name in ("names.py", "module.py"):
        assert any("may be given to several optimizers" in text for text in reviews(found[name]))
        assert "_loss_scale_arguments" not in found[name].text


def test_reads_of_the_optimizer_are_none_of_what_it_was_given() -> None:
    body = """
        import tensorflow as tf
        {}
        def make(opt, config):
            opt = tf.keras.mixed_precision{}.LossScaleOptimizer(opt, {})
            print(opt.loss_scale{})
        """
    result = migrate_source(program(body.format("", ".experimental", "config.loss_scale", "()")))
    assert reviews(result) == []
    assert "**_loss_scale_arguments(config.loss_scale)" in result.text
    assert "print(opt.loss_scale)" in result.text


def test_a_function_that_gives_a_word_or_a_number_needs_a_short_helper() -> None:
    before = """
        import tensorflow as tf
        def scale_of(flags):
            if flags.scale == "dynamic":
                return "dynamic"
            return float(flags.scale)
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale_of(flags))
    """
    result = check_review(before, migrate_source(program(before)).text)
    helper = result.text.split("def _dynamic_or_fixed")[1].split("\n\n")[0]
    assert len(helper.splitlines()) == 3
    assert "LossScaleOptimizer(opt, **_dynamic_or_fixed(scale_of(flags)))" in result.text
    assert "_loss_scale_arguments" not in result.text
    other = before.replace("return float(flags.scale)", "return flags.scale")
    assert "**_loss_scale_arguments(scale_of(flags))" in migrate_source(program(other)).text


def test_a_function_whose_variable_has_both_takes_the_short_helper() -> None:
    source = f"""
        import tensorflow as tf
        def scale_of(flags):
            return 128 if flags.fixed else "dynamic"
        scale = scale_of(flags)
        opt = {OLD}(opt, scale)
    """
    assert "**_dynamic_or_fixed(scale)" in migrate_source(program(source)).text


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ("2 ** 10", "dynamic=False, initial_scale=own(8)"),
        ("'dynamic'", "**_dynamic_or_fixed(own(8))"),
        ("scale", "**_loss_scale_arguments(own(8))"),
    ],
)
def test_a_function_of_one_kind_is_called_once(given: str, arguments: str) -> None:
    source = f"""
        import tensorflow as tf
        def own(scale):
            print(scale)
            return {given}
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, own(8))
    """
    result = migrate_source(program(source))
    assert result.problem == ""
    assert f"LossScaleOptimizer(opt, {arguments})" in result.text


def test_a_variable_that_is_made_from_itself() -> None:
    result = migrate_source(
        program(
            """
            import tensorflow as tf
            def build(flags, opt):
                scale = flags.loss_scale
                if scale != "dynamic":
                    scale = float(scale)
                return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)
            """
        )
    )
    assert result.problem == ""
    assert "LossScaleOptimizer(opt, **_loss_scale_arguments(scale))" in result.text


@pytest.mark.parametrize(
    "value",
    ["2 ** power", "scale * 2", "scale / 2", "-scale"],
    ids=["power", "times", "by", "minus"],
)
def test_what_is_computed_is_read_by_the_helper(value: str) -> None:
    result = migrate_source(f"import tensorflow as tf\nopt = {OLD}(opt, {value})\n")
    assert result.text.endswith(f"opt = {NEW}(opt, **_loss_scale_arguments({value}))\n")
    assert reviews(result) == []
