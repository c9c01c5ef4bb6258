# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
HEAD = f"""
import tensorflow as tf
opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
"""
NEW_HEAD = f"""
import tensorflow as tf
opt = {NEW}(tf.keras.optimizers.legacy.SGD())
"""
COPY = "becomes a copy of the loss scale"
CALLED = "what is called here can be the loss scale of an optimizer"
ON = "given to code that is not followed here"
TEXT = "prints as a tensor now"


def check(before: str, after: str | None = None, *messages: str) -> None:
    """A program behind a loss-scale optimizer becomes another one, with these findings."""
    old, new = HEAD + before, NEW_HEAD + (before if after is None else after)
    if messages:
        check_review(old, new, *messages)
    else:
        check_transformed(old, new)


def test_a_name_that_is_read_after_a_step_is_read_from_the_optimizer() -> None:
    check(
        "scale = opt.loss_scale\nstep()\nx = float(scale) + scale.numpy() + scale() * 2\n",
        "step()\nx = float(opt.loss_scale) + opt.loss_scale.numpy() + opt.loss_scale * 2\n",
    )


def test_a_name_that_is_read_before_any_step_stays() -> None:
    check("scale = opt.loss_scale\nx = tf.cast(scale, tf.float16) * 2\nstep()\n")
    check("def f(x):\n    scale = opt.loss_scale\n    return x * scale\n")


def test_a_name_stays_where_some_use_of_it_is_not_respelled() -> None:
    check(
        "scale = opt.loss_scale\nstep()\nx = float(scale)\nprint(scale)\n",
        "scale = opt.loss_scale\nstep()\nx = float(opt.loss_scale)\nprint(scale)\n",
        TEXT,
    )


def test_a_loss_scale_that_cannot_move_may_be_kept() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        opt = {OLD}(tf.keras.optimizers.SGD(), 8)
        scale = opt.loss_scale
        step()
        print(float(scale))
        """,
        f"""
        import tensorflow as tf
        opt = {NEW}(tf.keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8)
        scale = opt.loss_scale
        step()
        print(float(scale))
        """,
    )


@pytest.mark.parametrize("between", ["opt = other()", "for opt in many(): step()"])
def test_an_optimizer_that_gets_another_value_is_not_read_instead(between: str) -> None:
    body = f"scale = opt.loss_scale\n{between}\nprint(float(scale))\n"
    check(body, None, COPY)


def test_a_name_of_another_turn_of_a_loop_is_reported() -> None:
    check_review(
        f"""
        import tensorflow as tf
        for i in range(2):
            opt = {OLD}(make(), "dynamic")
            if i == 0:
                scale = opt.loss_scale
            step()
            print(float(scale))
        """,
        f"""
        import tensorflow as tf
        for i in range(2):
            opt = {NEW}(make())
            if i == 0:
                scale = opt.loss_scale
            step()
            print(float(scale))
        """,
        COPY,
    )


def test_functions_and_lambdas_see_the_optimizer_of_the_module() -> None:
    check(
        "scale = opt.loss_scale\ndef log():\n    return scale()\nget = lambda: float(scale)\n",
        "def log():\n    return opt.loss_scale\nget = lambda: float(opt.loss_scale)\n",
    )


def test_a_function_that_has_another_optimizer_is_reported() -> None:
    check(
        "scale = opt.loss_scale\ndef log(opt):\n    return scale()\n",
        None,
        CALLED,
    )


def test_an_attribute_of_self() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self.opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
                self.scale = self.opt.loss_scale
            def log(self):
                print(self.scale(), float(self.scale))
                return self.scale.increment_period
        """,
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self.opt = {NEW}(tf.keras.optimizers.legacy.SGD())
                self.scale = self.opt.loss_scale
            def log(self):
                print(self.opt.loss_scale, float(self.opt.loss_scale))
                return self.opt.dynamic_growth_steps
        """,
    )


def test_an_attribute_whose_optimizer_changes_is_reported() -> None:
    check_review(
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self.opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
                self.scale = self.opt.loss_scale
            def log(self):
                return self.scale()
            def reset(self):
                self.opt = {OLD}(tf.keras.optimizers.SGD(), "dynamic")
        """,
        f"""
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self.opt = {NEW}(tf.keras.optimizers.legacy.SGD())
                self.scale = self.opt.loss_scale
            def log(self):
                return self.scale()
            def reset(self):
                self.opt = {NEW}(tf.keras.optimizers.legacy.SGD())
        """,
        CALLED,
    )


def test_an_attribute_that_is_read_from_outside_is_reported() -> None:
    body = "class T:\n    def __init__(self):\n        self.scale = opt.loss_scale\nt = T()\n"
    check(f"{body}step()\nprint(t.scale())\n", None, CALLED)
    check(f"{body}step()\nprint(float(t.scale))\n", None, COPY)
    check(body, None, ON)


def test_parameters() -> None:
    check(
        "def log(scale):\n    print(scale().numpy())\nlog(opt.loss_scale)\n",
        None,
        CALLED,
    )
    check("def log(scale):\n    print(float(scale))\nlog(opt.loss_scale)\n")
    check(
        "def log(scale):\n    step()\n    print(float(scale))\nlog(opt.loss_scale)\n",
        None,
        COPY,
    )


def test_what_a_function_returns() -> None:
    check(
        "def get():\n    return opt.loss_scale\nprint(get()().numpy(), float(get()))\n",
        "def get():\n    return opt.loss_scale\nprint(get().numpy(), float(get()))\n",
    )
    check(
        "get = lambda: opt.loss_scale\nx = get()()\n", "get = lambda: opt.loss_scale\nx = get()\n"
    )
    check("def get():\n    return opt.loss_scale\ns = get()\nstep()\nx = s()\n", None, CALLED)


def test_what_nothing_in_the_file_calls_is_reported() -> None:
    check("def get():\n    return opt.loss_scale\n", None, ON)


def test_properties() -> None:
    head = "class T:\n    @property\n    def scale(self):\n        return opt.loss_scale\n"
    check(
        f"{head}    def log(self):\n        return self.scale(), float(self.scale)\n",
        f"{head}    def log(self):\n        return self.scale, float(self.scale)\n",
    )
    check(f"{head}t = T()\nx = t.scale()\n", None, CALLED)
    check(f"{head}t = T()\nx = float(t.scale)\n")
    check(head, None, ON)


def test_a_method_that_is_kept() -> None:
    check("get = opt.loss_scale.numpy\nstep()\nx = get()\n", None, COPY)


def test_containers() -> None:
    check("held = {'scale': opt.loss_scale}\nx = held['scale']()\n", None, CALLED)
    check(
        "held = [opt.loss_scale]\nfor scale in held:\n    step()\n    x = scale()\n", None, CALLED
    )
    check("store['scale'] = opt.loss_scale\n", None, ON)
    pair = "a, b = opt.loss_scale, 1\n"
    check(f"{pair}x = a()\n", f"{pair}x = opt.loss_scale\n")


def test_what_is_printed_is_reported() -> None:
    for text in ("str(opt.loss_scale)", "f'{opt.loss_scale}'", "'%s' % opt.loss_scale"):
        check(f"x = {text}\n", None, TEXT)
    check("x = '{}'.format(opt.loss_scale)\n", None, TEXT)
    check("x = '%s %d' % (opt.loss_scale, 1)\n", None, TEXT)


def test_what_is_used_as_a_number_stays() -> None:
    check("x = f'{opt.loss_scale:.1f}'\ny = '%.1f' % opt.loss_scale\n")
    check("x = 1 / opt.loss_scale\ny = opt.loss_scale > 1\nz = tf.cast(opt.loss_scale, tf.int32)\n")
    check("if opt.loss_scale is not None:\n    x = opt.loss_scale.dtype\n")
    check("tf.summary.scalar('scale', opt.loss_scale)\ntf.print(opt.loss_scale)\n")


def test_what_is_handed_on_is_reported() -> None:
    check("log(opt.loss_scale)\n", None, ON)
    check("ckpt = tf.train.Checkpoint(scale=opt.loss_scale)\n", None, ON)
    check("x = opt.loss_scale is scale\n", None, "is not the same here")


def test_a_condition_that_is_called() -> None:
    check(
        "x = (opt.loss_scale if amp else opt.loss_scale)()\n",
        "x = (opt.loss_scale if amp else opt.loss_scale)\n",
    )
    check("x = (opt.loss_scale if amp else other)()\n", None, CALLED)


def test_the_private_name() -> None:
    check("x = float(opt._loss_scale)\n", "x = float(opt.loss_scale)\n")
    check("s = opt._loss_scale\nstep()\nx = s()\n", "step()\nx = opt.loss_scale\n")


def test_an_optimizer_of_today_has_no_live_object() -> None:
    check_left(f"import tensorflow as tf\nopt = {NEW}(o)\ns = opt.loss_scale\nstep()\nprint(s)\n")


def test_what_may_be_an_optimizer() -> None:
    check("def f(x):\n    s = x.loss_scale\n    return s()\n", None, CALLED)
    check("def f(x):\n    s = x.loss_scale\n    step()\n    return float(s)\n", None, COPY)
    check("def f(x):\n    print(x.loss_scale)\n", None, TEXT)
    check("def f(self):\n    print(self.x.loss_scale, float(self.optimizer.loss_scale))\n")
    check_left(f"import tensorflow as tf\nopt = {NEW}(o)\ndef f(x):\n    print(x.loss_scale)\n")


def test_arguments_that_no_parameter_is_known_to_take() -> None:
    check("def f(*args):\n    return args[0]()\nf(opt.loss_scale)\n", None, ON)
    check("def f(**kw):\n    return kw['s']()\nf(s=opt.loss_scale)\n", None, ON)


def test_an_attribute_of_a_class() -> None:
    check("class T:\n    ls = opt.loss_scale\nx = T.ls()\n", None, CALLED)


def test_what_is_set_on_it_is_reported() -> None:
    check("opt.loss_scale.extra = 3\n", None, "is not the same here")


def test_formats_by_their_fields() -> None:
    check("x = '%.1f %s' % (opt.loss_scale, 'x')\ny = '{:.1f} {}'.format(opt.loss_scale, 1)\n")
    check("x = '%s %.1f' % (opt.loss_scale, 1)\n", None, TEXT)
    check("x = '{a} {b:.1f}'.format(a=opt.loss_scale, b=1)\n", None, TEXT)


def test_what_is_no_optimizer_stays() -> None:
    check(
        "class T:\n    def __init__(self, config):\n        self.loss_scale = 128\n"
        "        self.other = config.loss_scale\n        print(args.loss_scale, self.loss_scale)\n"
    )


def test_branches_that_only_new_versions_reach_are_left_alone() -> None:
    head = """
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
    check_left(head, f"{old_branch} 2", f"{old_branch} 6")


@pytest.mark.parametrize("question", ["type(opt.loss_scale).__name__", "id(opt.loss_scale)"])
def test_what_is_asked_of_the_object_itself(question: str) -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision.{}LossScaleOptimizer(inner{})\n"
    check_review(
        f"{head.format('experimental.', ', 128')}print({question})\n",
        f"{head.format('', ', dynamic=False, initial_scale=128')}print({question})\n",
        "() is asked of what was a loss scale object",
    )


def test_a_question_whether_it_can_be_called_is_a_guard() -> None:
    head = "import tensorflow as tf\nopt = tf.keras.mixed_precision.{}LossScaleOptimizer(inner{})\n"
    guard = "scale = opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale\n"
    check_review(
        head.format("experimental.", ", 'dynamic'") + guard,
        head.format("", "") + guard,
        "the branch for old versions of the guard on line 3",
    )
    lost = "if callable(opt.loss_scale):\n    print('old')\n"
    check_review(
        head.format("experimental.", ", 'dynamic'") + lost,
        head.format("", "") + lost,
        "callable() is asked of what was a loss scale object",
    )


def test_a_property_that_only_its_own_body_reads_by_name_hands_on_what_it_returns() -> None:
    source = """
        from tensorflow.keras.mixed_precision{} import LossScaleOptimizer
        class Wrapper:
            @property
            def loss_scale(self):
                if isinstance(self._optimizer, LossScaleOptimizer):
                    loss_scale = self._optimizer.loss_scale
                else:
                    loss_scale = 1
                return loss_scale
    """
    check_review(
        source.format(".experimental"), source.format(""), "the loss scale object is given to code"
    )


def test_what_takes_a_tensor_for_the_object_is_found_in_migrated_code_too() -> None:
    for use in (
        "scale = opt.loss_scale\nx = scale()\n",
        "scale = opt.loss_scale\nx = scale.get_config()\n",
        "scale = opt.loss_scale if fp16 else None\nx = scale() if scale is not None else 1\n",
        "def f(o):\n    return o.loss_scale\nx = f(opt)()\n",
    ):
        check_left(NEW_HEAD + use, CALLED)


def test_a_tensor_that_is_used_as_one_is_right() -> None:
    for use in ("float(scale)", "scale.numpy()", "print(scale)", "f(scale)"):
        check_left(f"{NEW_HEAD}scale = opt.loss_scale\nstep()\n{use}\n")


def test_what_is_called_only_if_it_can_be_is_right_in_every_version() -> None:
    for use in (
        "x = float(scale() if callable(scale) else scale)\n",
        "x = float(scale if not callable(scale) else scale())\n",
        "if callable(scale):\n    scale = scale()\nstep()\nprint(scale)\n",
        "try:\n    x = float(scale)\nexcept TypeError:\n    x = float(scale())\n",
    ):
        use = f"scale = opt.loss_scale\n{use}"  # noqa: PLW2901  # the whole program
        check(use)


def test_a_copy_that_is_called_if_it_can_be_is_old_after_a_step() -> None:
    for use in (
        "x = float(scale() if callable(scale) else scale)\n",
        "try:\n    x = float(scale)\nexcept TypeError:\n    x = float(scale())\n",
    ):
        use = f"scale = opt.loss_scale\nstep()\n{use}"  # noqa: PLW2901  # the whole program
        check(use, use, COPY)


def test_whether_there_is_one_can_be_asserted() -> None:
    for method in ("assertIsNone", "assertIsNotNone"):
        use = f"def f(self):\n    self.{method}(opt.loss_scale)\n"
        check(use, use)
