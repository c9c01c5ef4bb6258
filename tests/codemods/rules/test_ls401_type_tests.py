# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental"
NEW = "tf.keras.mixed_precision"


@pytest.mark.parametrize(
    "code",
    [
        "ok = isinstance(opt, {}.LossScaleOptimizer)",
        "ok = isinstance(opt, ({}.LossScaleOptimizer, dict))",
        "ok = issubclass(type(opt), {}.LossScaleOptimizer)",
        "def f(p: {}.Policy) -> Optional[{}.LossScaleOptimizer]: ...",
        "match opt:\n    case {}.LossScaleOptimizer(): pass\n    case {}.Policy() as p: pass",
        "opt: {}.LossScaleOptimizer",
        "objects = {{'Policy': {}.Policy}}",
    ],
)
def test_usages(code: str) -> None:
    head = "import tensorflow as tf\n"
    check_transformed(
        head + code.replace("{}", OLD).replace("{{", "{").replace("}}", "}") + "\n",
        head + code.replace("{}", NEW).replace("{{", "{").replace("}}", "}") + "\n",
    )


@pytest.mark.parametrize("given", ["{}", "(dict, {})"])
def test_an_assertion_about_the_class_is_reported(given: str) -> None:
    classes = given.format(f"{OLD}.LossScaleOptimizer")
    check_left(
        f"import tensorflow as tf\ndef test(self, x): self.assertIsInstance(x, {classes})\n",
        "it is passed on",
    )


def test_the_text_of_an_annotation_stays() -> None:
    check_left(
        f"import tensorflow as tf\ndef f(x: Literal['{OLD}.Policy'], y: '{OLD}.Policy'): ...\n"
    )


def test_a_table_of_classes_is_reported() -> None:
    check_left(
        f"import tensorflow as tf\nobjects = {{'LossScaleOptimizer': {OLD}.LossScaleOptimizer}}\n",
        "tf-keras cannot load the current class as a custom object",
    )


def test_a_pattern_that_asks_for_attributes_is_reported() -> None:
    check_left(
        f"""
        import tensorflow as tf
        match opt:
            case {OLD}.LossScaleOptimizer(loss_scale=scale):
                print(scale)
        """,
        "how it will be called cannot be seen",
    )


def test_what_a_pattern_has_found_it_to_be_is_not_followed() -> None:
    body = "def f(opt):\n    match opt:\n        case {}.LossScaleOptimizer():\n            "
    head = "import tensorflow as tf\n"
    check_review(
        f"{head}{body.format(OLD)}print(opt.loss_scale())\n",
        f"{head}{body.format(NEW)}print(opt.loss_scale())\n",
        "not proven",
    )
