# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed


def test_other_reads_are_left() -> None:
    check_left(
        """
        import tensorflow as tf  # mixed_precision.experimental
        print(layer.dtype_policy.loss_scale, layer.dtype_policy.should_cast_variables)
        """,
        "no loss scale any more",
        "should_cast_variables is gone",
    )
    check_noop("import tensorflow as tf  # LossScale\nprint(flags.loss_scale is None)\n")


@pytest.mark.parametrize(
    "text",
    [
        "print('policy', {})",
        "str({})",
        "f'{{{}}}'",
        "'%s' % {}",
        "'%s %d' % ({}, 1)",
        "'{{}}'.format({})",
        "logging.info('%s', {})",
    ],
)
@pytest.mark.parametrize("policy", ["policy", "{}.global_policy()"])
def test_the_text_of_a_policy(text: str, policy: str) -> None:
    before, after = (
        "import tensorflow as tf\n"
        f"policy = {module}.Policy('mixed_float16')\n"
        f"{text.format(policy.format(module))}\n"
        for module in ("tf.keras.mixed_precision.experimental", "tf.keras.mixed_precision")
    )
    check_review(before, after, "the text of a policy has no loss scale any more")


def test_what_a_policy_says_of_itself_is_text_as_before() -> None:
    code = "import tensorflow as tf\npolicy = tf.keras.mixed_precision{0}.global_policy()\n"
    code += "print(policy.name, f'{{policy.compute_dtype}}', len([policy]))\n"
    code += "f(tf.keras.mixed_precision{0}.global_policy)\n"
    check_transformed(code.format(".experimental"), code.format(""))
    check_noop(code.format("").replace("policy.name", "policy"))


@pytest.mark.parametrize("target", ["tf-keras", "keras3", "keras3-alone"])
def test_the_text_of_a_policy_is_reported_wherever_its_loss_scale_is_gone(target: str) -> None:
    code = "import tensorflow as tf\nprint(tf.keras.mixed_precision.experimental.global_policy())\n"
    result = migrate_source(code, target=target)
    assert any("the text of a policy" in record.message for record in result.records)


@pytest.mark.parametrize("lookup", ["hasattr({}, 'loss_scale')", "getattr({}, 'loss_scale', None)"])
@pytest.mark.parametrize("policy", ["{}.global_policy()", "{}.Policy('mixed_float16')"])
def test_a_loss_scale_that_is_looked_up_by_its_name(lookup: str, policy: str) -> None:
    code = f"import tensorflow as tf\nx = {lookup.format(policy)}\n"
    before, after = code.format(OLD), code.format(OLD.removesuffix(".experimental"))
    check_review(before, after, "no loss scale any more")
    check_noop("x = hasattr(config, 'loss_scale')\n")


OLD = "tf.keras.mixed_precision.experimental"
