# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.codemods.checks import check_left, check_noop, check_transformed

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
                print(optimizer.loss_scale().numpy(), optimizer.loss_scale)
        """,
        f"""
        import tensorflow as tf
        def train(optimizer, fp16):
            if fp16:
                optimizer = {NEW}(optimizer)
            if fp16:
                print(optimizer.loss_scale.numpy(), optimizer.loss_scale)
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
                self.opt = tf.keras.optimizers.Adam()
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
            return {NEW}(tf.keras.optimizers.SGD(), dynamic=False, initial_scale=8)
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


def test_after_another_method_ran_self_may_hold_what_that_assigns() -> None:
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
    for call in ("self.reset()", "restore(self)", "super().__init__()"):
        check_left(source.replace("{call}", call), "not proven in this file")
    for call in ("print(opt)", "self.other = 1", "self.opt.apply_gradients(zip(g, v))"):
        before = source.replace("{call}", call)
        check_transformed(before, before.replace("loss_scale()", "loss_scale"))
