# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed, reviews

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
HEAD = f"""
import tensorflow as tf
D = tf.compat.v1.mixed_precision.DynamicLossScale
opt = {OLD}(inner, "dynamic")
"""
NEW_HEAD = f"""
import tensorflow as tf
D = tf.compat.v1.mixed_precision.DynamicLossScale
opt = {NEW}(inner)
"""
KEPT = "a tensor with the loss scale of this moment"
LOOKED_UP = "looked up by a name"


def check(use: str, *messages: str) -> None:
    """A use behind a loss-scale optimizer stays as it is, with these findings."""
    if messages:
        check_review(HEAD + use, NEW_HEAD + use, *messages)
    else:
        check_transformed(HEAD + use, NEW_HEAD + use)


@pytest.mark.parametrize(
    "use",
    [
        "scale = opt.loss_scale\nstep()\nx = float(scale)",
        "scale = opt.loss_scale\nx = scale()",
        "scale = getattr(opt, 'loss_scale')",
        "if (scale := opt.loss_scale):\n    x = scale()",
        "a, b = opt.loss_scale, 1",
        "class T:\n    def __init__(self):\n        self.scale = opt.loss_scale",
        "held = {'scale': opt.loss_scale}",
        "held = [opt.loss_scale]",
        "store['scale'] = opt.loss_scale",
        "def get():\n    return opt.loss_scale",
        "class T:\n    @property\n    def scale(self):\n        return opt.loss_scale",
        "get = lambda: opt.loss_scale",
        "log(opt.loss_scale)",
        "ckpt = tf.train.Checkpoint(scale=opt.loss_scale)",
        "x = opt.loss_scale is other",
        "x = (opt.loss_scale if amp else 1)()",
        "print(opt.loss_scale)",
        "x = str(opt.loss_scale)",
        "x = f'{opt.loss_scale}'",
        "x = '%s' % opt.loss_scale",
        "x = '{}'.format(opt.loss_scale)",
        "x = '%s %d' % (opt.loss_scale, 1)",
        "x = type(opt.loss_scale).__name__",
        "x = isinstance(opt.loss_scale, D)",
        "self.assertIsInstance(opt.loss_scale, D)",
        "x = float(opt._loss_scale)",
    ],
)
def test_an_object_that_is_kept_or_given_on(use: str) -> None:
    check(f"{use}\n", KEPT)


def test_what_is_asked_whether_it_can_be_called_is_reported() -> None:
    check("scale = opt.loss_scale\nx = scale() if callable(scale) else scale\n", KEPT)


@pytest.mark.parametrize(
    "function",
    [
        "tf.cond(flag, opt.loss_scale, one)",
        "tf.switch_case(0, [opt.loss_scale])",
        "tf.nest.map_structure(opt.loss_scale, values)",
        "tf.map_fn(opt.loss_scale, values)",
        "tf.py_function(opt.loss_scale, [], tf.float32)",
        "np.vectorize(opt.loss_scale)(values)",
    ],
)
def test_a_function_that_calls_what_it_gets(function: str) -> None:
    check(f"import numpy as np\nx = {function}, np.zeros(1)\n", KEPT)


@pytest.mark.parametrize(
    "use",
    [
        "x = 1 / opt.loss_scale\ny = opt.loss_scale > 1",
        "x = f'{opt.loss_scale:.1f}'",
        "x = tf.cast(opt.loss_scale, tf.int32)\ny = tf.math.log(opt.loss_scale)",
        "tf.summary.scalar('scale', opt.loss_scale)\ny = tf.reduce_sum(opt.loss_scale)",
        "if opt.loss_scale is not None:\n    x = opt.loss_scale.dtype",
        "x = opt.loss_scale.numpy()",
    ],
)
def test_what_is_a_number_at_once_stays(use: str) -> None:
    check(f"{use}\n")


def test_a_test_for_an_old_class_gets_the_class_of_today() -> None:
    test = "x = isinstance(opt.loss_scale, tf.{}.FixedLossScale)\n"
    check_review(
        HEAD + test.format("mixed_precision.experimental"),
        NEW_HEAD + test.format("compat.v1.mixed_precision"),
        KEPT,
    )


def test_a_class_in_a_pattern_gets_the_name_of_today() -> None:
    pattern = "match scale:\n    case E.DynamicLossScale() as found:\n        pass\n"
    check_transformed(
        f"import tensorflow as tf\nE = tf.mixed_precision.experimental\n{pattern}",
        f"import tensorflow as tf\nE = tf.compat.v1.mixed_precision\n{pattern}",
    )


def test_what_may_be_an_optimizer() -> None:
    check("def f(x):\n    s = x.loss_scale\n    return s()\n", KEPT)
    check("def f(x):\n    print(x.loss_scale)\n", KEPT)
    check("def f(self):\n    print(self.x.loss_scale, float(self.optimizer.loss_scale))\n")
    check_left(f"import tensorflow as tf\nopt = {NEW}(o)\ndef f(x):\n    print(x.loss_scale)\n")


def test_what_is_no_optimizer_stays() -> None:
    check(
        "class T:\n    def __init__(self, config):\n        self.loss_scale = 128\n"
        "        self.other = config.loss_scale\n        print(args.loss_scale, self.loss_scale)\n"
    )


@pytest.mark.parametrize("policy", ["set_policy('mixed_float16')", "Policy('mixed_float16')"])
def test_a_file_that_has_keras_make_optimizers(policy: str) -> None:
    use = "def log(model):\n    ls = model.optimizer.loss_scale\n    print(ls())\n"
    before = f"import tensorflow as tf\ntf.keras.mixed_precision.experimental.{policy}\n{use}"
    found = reviews(migrate_source(before))
    assert any(KEPT in text for text in found), found


@pytest.mark.parametrize("use", ["float(scale)", "scale.numpy()", "print(scale)", "f(scale)"])
def test_a_tensor_that_is_used_as_one_is_right(use: str) -> None:
    check_noop(f"{NEW_HEAD}scale = opt.loss_scale\nstep()\n{use}\n")


def test_branches_that_only_new_versions_reach_are_left_alone() -> None:
    before = """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
            opt = tf.keras.mixed_precision.LossScaleOptimizer(inner)
        else:
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, "dynamic")
        if tuple(map(int, tf.__version__.split(".")[:2])) >= (2, 4):
            scale = opt.loss_scale
            log(scale, {"scale": opt.loss_scale})
            opt._loss_scale = scale
            print(opt.loss_scale)
        else:
            scale = opt.loss_scale()
        print(scale)
    """
    old_branch = "the branch for old versions of the guard on line"
    check_left(before, f"{old_branch} 2", f"{old_branch} 6")


@pytest.mark.parametrize(
    "line",
    [
        "opt._loss_scale = scale",
        "opt.loss_scale = scale",
        "del opt._loss_scale",
        "opt.loss_scale, x = scale, 1",
        "setattr(opt, '_loss_scale', scale)",
        "delattr(opt, 'loss_scale')",
        "model.optimizer._loss_scale = scale",
    ],
)
def test_a_loss_scale_that_is_replaced(line: str) -> None:
    check(f"{line}\n", "cannot be replaced")


@pytest.mark.parametrize(
    "line",
    [
        "x = vars(opt)",
        "x = getattr(opt, name)",
        "x = opt.__dict__",
        "x = inspect.getmembers(opt)",
        "x = operator.attrgetter('optimizer.loss_scale')(model)",
        "x = operator.attrgetter('loss_scale.increment_period')(o)",
        "x = operator.attrgetter('loss_' + 'scale')(o)",
        "x = '{o.loss_scale.increment_period}'.format(o=o)",
        "def dump(o):\n    return [getattr(o, n) for n in ('loss_scale', '_optimizer')]",
        "def dump(o):\n    return o.__dict__['_loss_scale']",
    ],
)
def test_a_look_up_by_name(line: str) -> None:
    check(f"{line}\n", LOOKED_UP)


@pytest.mark.parametrize(
    "line",
    [
        "self.loss_scale = 128",
        "config.loss_scale = 'dynamic'",
        "setattr(args, 'loss_scale', 1)",
        "x = [getattr(args, n) for n in ('loss_scale', 'fp16')]",
        "x = [getattr(module, n) for n in names]",
        "x = '{}: {:.2f}'.format(a, b)",
    ],
)
def test_what_is_looked_up_or_set_elsewhere_stays(line: str) -> None:
    check(f"{line}\n")
    check_noop(f"import tensorflow as tf\n{line}\n")


@pytest.mark.parametrize("key", ["loss_scale", "optimizer"])
def test_a_key_that_is_gone(key: str) -> None:
    check(f"x = opt.get_config()['{key}']\n", "no key of the new config")


def test_a_key_of_another_config() -> None:
    check("x = opt.get_config()['dynamic']\ny = model.get_config()['optimizer']\n")


@pytest.mark.parametrize("comment", ["LS311", "LS313", "LS31"])
def test_the_id_of_a_rule_that_is_a_part_of_this_one_stands_for_it(comment: str) -> None:
    line = f"opt._loss_scale = scale  # compat-lossscale: ignore[{comment}]\n"
    check_transformed(HEAD + line, NEW_HEAD + line)
    line = "opt._loss_scale = scale\n"
    check_transformed(HEAD + line, NEW_HEAD + line, ignore=(comment,))


@pytest.mark.parametrize("name", ["Trainer", "Derived"])
def test_an_object_with_a_loss_scale_of_its_own(name: str) -> None:
    lines = "class Trainer:\n    @property\n    def loss_scale(self):\n        return 1.0\n"
    lines += f"class Derived(Trainer):\n    pass\ntrainer = {name}()\nprint(trainer.loss_scale)\n"
    check(lines)


def test_an_optimizer_of_the_class_that_stayed_beside_one_that_is_not_known() -> None:
    lines = (
        "model_opt = choices[name]()\nif mixed:\n"
        "    model_opt = tf.keras.mixed_precision.LossScaleOptimizer(model_opt)\n"
        "print(model_opt.loss_scale)\n"
    )
    check(lines)
