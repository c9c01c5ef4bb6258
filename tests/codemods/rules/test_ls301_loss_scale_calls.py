# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed

OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


def test_an_optimizer_that_is_wrapped_under_a_condition() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def train(optimizer, fp16):
            if fp16:
                optimizer = {OLD}(optimizer, "dynamic")
            if fp16:
                print(optimizer.loss_scale().numpy(), float(optimizer.loss_scale))
        """,
        f"""
        import tensorflow as tf
        def train(optimizer, fp16):
            if fp16:
                optimizer = {NEW}(optimizer)
            if fp16:
                print(optimizer.loss_scale.numpy(), float(optimizer.loss_scale))
        """,
    )


def test_an_attribute_of_the_class() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        class Trainer:
            opt = None
            def __init__(self):
                self.opt = tf.keras.optimizers.Adam()
                if fp16:
                    self.opt = {OLD}(self.opt, "dynamic")
            def log(self):
                return self.opt.loss_scale()
        """,
        f"""
        import tensorflow as tf
        class Trainer:
            opt = None
            def __init__(self):
                self.opt = tf.keras.optimizers.legacy.Adam()
                if fp16:
                    self.opt = {NEW}(self.opt)
            def log(self):
                return self.opt.loss_scale
        """,
    )


def test_a_function_of_this_file_that_returns_one() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def make():
            return {OLD}(tf.keras.optimizers.SGD(), 8)
        opt = make()
        print(opt.loss_scale())
        """,
        f"""
        import tensorflow as tf
        def make():
            return {NEW}(tf.keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8)
        opt = make()
        print(opt.loss_scale)
        """,
    )


def test_isinstance_and_annotations() -> None:
    check_transformed(
        f"""
        import tensorflow as tf
        def a(model):
            if isinstance(model.optimizer, {OLD}):
                return model.optimizer.loss_scale()
            return isinstance(model.optimizer, {OLD}) and model.optimizer.loss_scale() > 1
        def b(opt: {OLD}):
            return opt.loss_scale()
        def c(opt):
            assert isinstance(opt, {OLD})
            return opt.loss_scale()
        def d(opt):
            if not isinstance(opt, {OLD}):
                return None
            return opt.loss_scale()
        """,
        f"""
        import tensorflow as tf
        def a(model):
            if isinstance(model.optimizer, {NEW}):
                return model.optimizer.loss_scale
            return isinstance(model.optimizer, {NEW}) and model.optimizer.loss_scale > 1
        def b(opt: {NEW}):
            return opt.loss_scale
        def c(opt):
            assert isinstance(opt, {NEW})
            return opt.loss_scale
        def d(opt):
            if not isinstance(opt, {NEW}):
                return None
            return opt.loss_scale
        """,
    )


def test_what_is_not_proven() -> None:
    check_left(
        """
        import tensorflow as tf
        def log(optimizer):
            return optimizer.loss_scale()
        """,
        "not proven",
    )
    check_left(
        f"""
        import tensorflow as tf
        def log(opt, other):
            if isinstance(opt, {NEW}):
                opt = other
            return opt.loss_scale()
        """,
        "not proven",
    )
    check_noop("import tensorflow as tf\nprint(config.loss_scale(), self.loss_scale())\n")
    check_noop("import torch\nprint(optimizer.loss_scale())\n")


def test_self_may_hold_what_any_method_assigns() -> None:
    source = """
        import tensorflow as tf
        class Trainer:
            def __init__(self, opt):
                self.opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
                {call}
                print(self.opt.loss_scale())
            def reset(self):
                self.opt = config
    """
    for call in ("self.reset()", "restore(self)", "print(opt)"):
        check_left(source.replace("{call}", call), "not proven in this file")
    alone = source.partition("    def reset")[0].replace("{call}", "self.reset()")
    check_transformed(alone, alone.replace("loss_scale()", "loss_scale"))


def test_parentheses() -> None:
    head = "import tensorflow as tf\nopt = "
    check_transformed(
        f"{head}{OLD}(o, 'dynamic')\nx = (opt.loss_scale)(), (opt._loss_scale)()\n",
        f"{head}{NEW}(o)\nx = (opt.loss_scale), (opt.loss_scale)\n",
    )


@pytest.mark.parametrize(
    "line",
    [
        "x = [make()][0].loss_scale()",
        "x = [opt.loss_scale() for opt in [make(), make()]]",
        "opts = {'g': make()}\nx = opts['g'].loss_scale()",
        "def log(o):\n    x = o.loss_scale()\nlog(make())",
        "class Log:\n    def update(self, x):\n        x.loss_scale()\nLog().update(make())",
    ],
)
def test_what_is_in_a_container_or_given_to_a_parameter_is_likely(line: str) -> None:
    head = "import tensorflow as tf\ndef make():\n    return "
    old, new = f"{head}{OLD}(inner, 'dynamic')\n", f"{head}{NEW}(inner)\n"
    line = f"{line}\n"
    check_review(old + line, new + line, "not proven")
    fixed = line.replace("scale()", "scale")
    check_transformed(old + line, new + fixed, unsafe_fixes=True)


def test_what_a_lambda_gives() -> None:
    head = "import tensorflow as tf\ndef make():\n    return "
    line = "get = lambda: make()\nx = get().loss_scale"
    check_transformed(f"{head}{OLD}(inner, 'dynamic')\n{line}()\n", f"{head}{NEW}(inner)\n{line}\n")


def test_a_container_that_others_fill_is_not_proven() -> None:
    head = "import tensorflow as tf\nopts = "
    for line in ("fill(opts)", "opts += more", "opts.append(thing)"):
        tail = f"{line}\nx = opts[0].loss_scale()\n"
        check_review(
            f"{head}[{OLD}(o, 'dynamic')]\n{tail}", f"{head}[{NEW}(o)]\n{tail}", "not proven"
        )


def test_whatever_its_name_is_in_a_file_that_makes_optimizers() -> None:
    head = "import tensorflow as tf\nopt = "
    for tail, message in (
        ("def log(x):\n    x.loss_scale()\n", "not proven"),
        ("y = getattr(x, 'loss_scale')()\n", "with the loss scale of this moment"),
    ):
        check_review(f"{head}{OLD}(o, 'dynamic')\n{tail}", f"{head}{NEW}(o)\n{tail}", message)


def test_what_is_no_optimizer_in_such_a_file() -> None:
    head = "import config, tensorflow as tf\nopt = "
    tail = (
        "class A:\n    def loss_scale(self):\n        return 1\n"
        "    def f(self):\n        return self.loss_scale(), config.loss_scale()\n"
    )
    check_transformed(f"{head}{OLD}(o, 'dynamic')\n{tail}", f"{head}{NEW}(o)\n{tail}")


def test_the_property_of_a_class_for_v1_optimizers() -> None:
    check_noop(
        """
        import tensorflow as tf
        class Mine(tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer):
            @property
            def loss_scale(self):
                return self._loss_scale
        opt = Mine(tf.compat.v1.train.AdamOptimizer(), "dynamic")
        print(opt.loss_scale())
        """
    )


@pytest.mark.parametrize("default", ["", ", lambda: 1.0"])
def test_what_getattr_gives_is_called(default: str) -> None:
    call = f'print(getattr(opt, "loss_scale"{default})())'
    check_review(
        f"import tensorflow as tf\nopt = {OLD}(opt, 'dynamic')\n{call}\n",
        f"import tensorflow as tf\nopt = {NEW}(opt)\n{call}\n",
        "with the loss scale of this moment",
    )


def test_a_file_that_sets_a_policy_has_keras_make_loss_scale_optimizers() -> None:
    use = "def log(model):\n    o = model.optimizer\n    print(o.loss_scale())\n"
    head = "import tensorflow as tf\ntf.keras.mixed_precision.{}('mixed_float16')\n"
    check_review(
        head.format("experimental.set_policy") + use,
        head.format("set_global_policy") + use,
        "not proven",
    )


@pytest.mark.parametrize("other", ["d = {}", "d = tf.keras.Sequential()", "d = make()"])
def test_a_call_of_another_object_is_none_of_the_programs_own_method(other: str) -> None:
    check_review(
        f"""
        import tensorflow as tf
        class Log:
            def update(self, x):
                print(x.loss_scale())
        {other}
        d.update({OLD}(inner, "dynamic"))
        """,
        f"""
        import tensorflow as tf
        class Log:
            def update(self, x):
                print(x.loss_scale())
        {other}
        d.update({NEW}(inner))
        """,
        "not proven",
    )


def test_a_loop_over_objects_of_a_class_with_a_loss_scale_of_its_own() -> None:
    check_left(
        f"""
        import tensorflow as tf
        class Schedule:
            def loss_scale(self):
                return 3.0
        opt = {NEW}(tf.keras.optimizers.legacy.SGD())
        for one in (Schedule(), opt):
            print(one.loss_scale())
        """,
        "not proven",
        unsafe_fixes=True,
    )
