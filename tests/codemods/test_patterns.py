# SPDX-License-Identifier: Apache-2.0
"""Every way in which real code uses the old API, and what becomes of it.

One row or more for each pattern that was counted in public code, by the name it has there: the
program before and after, and the findings; without a program after, it stays as it is.
"""

from __future__ import annotations

import dataclasses

import pytest
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.rules.loss_scale_arguments import HELPER_SOURCE

from tests.codemods.checks import program


@dataclasses.dataclass(frozen=True)
class Row:
    """A pattern, in a program of our own.

    Attributes:
        names: The names of the pattern, or of several that stand together.
        before: The program.
        after: What becomes of it; `HELPER` is the function that reads unknown loss scales.
        findings: The rule and the beginning of the message of each finding, in order.
    """

    names: str
    before: str
    after: str | None = None
    findings: tuple[str, ...] = ()


ROWS = [
    Row(
        "import:from-mp-import-experimental-as",
        """
        def precision(bits):
            if bits == 16:
                from tensorflow.keras import layers
                from tensorflow.keras.mixed_precision import experimental as prec
                prec.set_policy('mixed_float16')
        """,
        """
        def precision(bits):
            if bits == 16:
                from tensorflow.keras import layers
                from tensorflow.keras import mixed_precision as prec
                prec.set_global_policy('mixed_float16')
        """,
    ),
    Row(
        "import:from-mp.experimental-import-name",
        """
        from tensorflow.keras.mixed_precision.experimental import (
            LossScaleOptimizer,
            global_policy,  # used below
            Policy as DTypePolicy,
        )
        opt = LossScaleOptimizer(make(), 'dynamic')
        assert global_policy() == DTypePolicy('mixed_float16')
        """,
        """
        from tensorflow.keras.mixed_precision import (
            LossScaleOptimizer,
            global_policy,  # used below
            Policy as DTypePolicy,
        )
        opt = LossScaleOptimizer(make())
        assert global_policy() == DTypePolicy('mixed_float16')
        """,
    ),
    Row(
        "import:import-module-as",
        """
        import tensorflow.keras.mixed_precision.experimental as mp
        mp.set_policy('mixed_float16')
        """,
        """
        import tensorflow.keras.mixed_precision as mp
        mp.set_global_policy('mixed_float16')
        """,
    ),
    Row(
        "import:import-module-as",
        """
        import tensorflow.keras.mixed_precision as mxp
        opt = mxp.experimental.LossScaleOptimizer(make(), 'dynamic')
        """,
        """
        import tensorflow.keras.mixed_precision as mxp
        opt = mxp.LossScaleOptimizer(make())
        """,
    ),
    Row(
        "fully dotted",
        """
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
        """,
        """
        import tensorflow as tf
        tf.keras.mixed_precision.set_global_policy('mixed_float16')
        """,
    ),
    Row(
        "fully dotted",
        """
        from tensorflow import keras
        keras.mixed_precision.experimental.set_policy('mixed_float16')
        """,
        """
        from tensorflow import keras
        keras.mixed_precision.set_global_policy('mixed_float16')
        """,
    ),
    Row(
        "import:compat.v1-as-tf",
        """
        import tensorflow.compat.v1 as tf
        scale = tf.train.experimental.DynamicLossScale()
        """,
        """
        import tensorflow.compat.v1 as tf
        scale = tf.mixed_precision.DynamicLossScale()
        """,
    ),
    Row(
        "import:compat.v1-as-other",
        """
        import tensorflow.compat.v1 as tf1
        opt = tf1.train.experimental.enable_mixed_precision_graph_rewrite(tf1.train.AdamOptimizer())
        """,
        """
        import tensorflow.compat.v1 as tf1
        opt = tf1.mixed_precision.enable_mixed_precision_graph_rewrite(tf1.train.AdamOptimizer())
        """,
    ),
    Row(
        "import:tf.compat.v1.keras.mixed_precision",
        """
        import tensorflow as tf
        opt = tf.compat.v1.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        """,
        """
        import tensorflow as tf
        opt = tf.compat.v1.keras.mixed_precision.LossScaleOptimizer(make())
        """,
    ),
    Row(
        "import:from-contrib",
        """
        from tensorflow.contrib.mixed_precision import FixedLossScaleManager, LossScaleOptimizer
        manager = FixedLossScaleManager(2 ** 15)
        opt = LossScaleOptimizer(opt, manager)
        """,
        findings=(
            "LS101 the import stays as it is: line 2 still needs it",
            "LS101 the import stays as it is: line 3 still needs it",
            "LS603 tf.contrib is gone, and its optimizer skipped steps that",
            "LS603 tf.contrib is gone, and so is the manager of this optimizer",
        ),
    ),
    Row(
        "import:private-tensorflow.python",
        """
        from tensorflow.python.keras.mixed_precision.experimental import (
            loss_scale_optimizer as lso)
        def is_scaled(opt):
            return isinstance(opt, lso.LossScaleOptimizer)
        """,
        """
        from tensorflow.keras import mixed_precision as lso
        def is_scaled(opt):
            return isinstance(opt, lso.LossScaleOptimizer)
        """,
    ),
    Row(
        "import:private-tensorflow.python",
        """
        from tensorflow.python.keras.mixed_precision.experimental import (
            loss_scale_optimizer as lso)
        print(lso._some_helper())
        """,
        findings=(
            "LS101 the import stays as it is: line 3 still needs it",
            "LS205 it is a private part of TensorFlow",
        ),
    ),
    Row(
        "alias:module-assigned-to-name",
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision.experimental
        mp.set_policy('float32')
        """,
        """
        import tensorflow as tf
        mp = tf.keras.mixed_precision
        mp.set_global_policy('float32')
        """,
    ),
    Row(
        "alias:module-assigned-to-attribute",
        """
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self._mp = tf.keras.mixed_precision.experimental

            def wrap(self, opt):
                return self._mp.LossScaleOptimizer(opt, 'dynamic')
        """,
        """
        import tensorflow as tf
        class Trainer:
            def __init__(self):
                self._mp = tf.keras.mixed_precision

            def wrap(self, opt):
                return self._mp.LossScaleOptimizer(opt)
        """,
    ),
    Row(
        "alias:symbol-assigned",
        """
        import tensorflow as tf
        Wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
        opt = Wrapper(make(), 'dynamic')
        """,
        """
        import tensorflow as tf
        Wrapper = tf.keras.mixed_precision.LossScaleOptimizer
        opt = Wrapper(make())
        """,
    ),
    Row(
        "indirect:class-via-property",
        """
        import tensorflow as tf
        class Trainer:
            @property
            def wrapper(self):
                return tf.keras.mixed_precision.experimental.LossScaleOptimizer

            def wrap(self, opt):
                return self.wrapper(opt, 'dynamic')
        """,
        findings=("LS205 it is passed on, so how it will be called cannot be seen",),
    ),
    Row(
        "hazard:third-party-root-same-suffix",
        """
        import sparse_operation_kit as sok
        opt = sok.tf.keras.mixed_precision.LossScaleOptimizer(opt, 1024)
        """,
    ),
    Row(
        "exp-lso:lit-dynamic",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
        """,
    ),
    Row(
        "exp-lso:lit-number",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        opt = mp.LossScaleOptimizer(opt, loss_scale=256.)
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        opt = mp.LossScaleOptimizer(opt, dynamic=False, initial_scale=256.)
        """,
    ),
    Row(
        "exp-lso:DynamicLossScale",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            opt, tf.mixed_precision.experimental.DynamicLossScale(
                increment_period=100, multiplier=2))
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic_growth_steps=100)
        """,
    ),
    Row(
        "exp-lso:variable",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        def wrap(opt):
            scale = 512
            return mp.LossScaleOptimizer(opt, scale)
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        def wrap(opt):
            scale = 512
            return mp.LossScaleOptimizer(opt, dynamic=False, initial_scale=scale)
        """,
    ),
    Row(
        "exp-lso:variable",
        """
        import tensorflow as tf
        def wrap(opt, fixed):
            scale = 'dynamic'
            if fixed:
                scale = 512
            return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
                opt,
                loss_scale=scale,
            )
        """,
        """
        import tensorflow as tf


        def _dynamic_or_fixed(loss_scale):
            \"\"\"Returns LossScaleOptimizer's arguments for "dynamic" or a number.\"\"\"
            return {} if loss_scale == "dynamic" else {"dynamic": False, "initial_scale": loss_scale}


        def wrap(opt, fixed):
            scale = 'dynamic'
            if fixed:
                scale = 512
            return tf.keras.mixed_precision.LossScaleOptimizer(
                opt,
                **_dynamic_or_fixed(scale),
            )
        """,  # noqa: E501  # the helper is as long as that
    ),
    Row(
        "exp-lso:config attribute",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        def wrap(opt, config):
            return mp.LossScaleOptimizer(opt, config.loss_scale)
        """,
        """
        from tensorflow.keras import mixed_precision as mp


        HELPER


        def wrap(opt, config):
            return mp.LossScaleOptimizer(opt, **_loss_scale_arguments(config.loss_scale))
        """,
    ),
    Row(
        "exp-lso:call-other",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        def wrap(opt):
            return mp.LossScaleOptimizer(opt, get_loss_scale())
        """,
        """
        from tensorflow.keras import mixed_precision as mp


        HELPER


        def wrap(opt):
            return mp.LossScaleOptimizer(opt, **_loss_scale_arguments(get_loss_scale()))
        """,
    ),
    Row(
        "exp-lso:None",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, None)
        """,
        findings=("LS201 loss_scale=None was an error in every version",),
    ),
    Row(
        "exp-lso:nested-optimizer-ctor",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        import tensorflow as tf
        opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), loss_scale='dynamic')
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        import tensorflow as tf
        opt = mp.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD(0.1))
        """,
    ),
    Row(
        "exp-lso:passed-inline-to-call",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        from tensorflow.keras.optimizers import RMSprop
        model.compile(optimizer=mp.LossScaleOptimizer(RMSprop(), 1000))
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        from tensorflow.keras.optimizers.legacy import RMSprop
        model.compile(optimizer=mp.LossScaleOptimizer(RMSprop(), dynamic=False, initial_scale=1000))
        """,
    ),
    Row(
        "exp-lso:returned-directly",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        def wrap(opt):
            return mp.LossScaleOptimizer(opt=opt, loss_scale='dynamic')
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        def wrap(opt):
            return mp.LossScaleOptimizer(inner_optimizer=opt)
        """,
    ),
    Row(
        "exp-lso:conditional scale",
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        from tensorflow.train.experimental import DynamicLossScale
        opt = LossScaleOptimizer(opt, 'dynamic' if auto else DynamicLossScale(8))
        """,
        """
        from tensorflow.keras.mixed_precision import LossScaleOptimizer
        from tensorflow.compat.v1.mixed_precision import DynamicLossScale


        HELPER


        opt = LossScaleOptimizer(opt, **_loss_scale_arguments('dynamic' if auto else DynamicLossScale(8)))
        """,  # noqa: E501  # the call is as long as that
    ),
    Row(
        "exp-lso:inside-cond-expr",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        opt = mp.LossScaleOptimizer(opt, 'dynamic') if amp else opt
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        opt = mp.LossScaleOptimizer(opt) if amp else opt
        """,
    ),
    Row(
        "exp-lso:multi-line",
        """
        import tensorflow as tf
        opt = (tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            opt,  # made above
            loss_scale='dynamic',
        ))
        """,
        """
        import tensorflow as tf
        opt = (tf.keras.mixed_precision.LossScaleOptimizer(
            opt,  # made above
        ))
        """,
    ),
    Row(
        "exp-lso:**kwargs",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, **kwargs)
        """,
        findings=("LS201 its arguments are unpacked, so they cannot be seen here",),
    ),
    Row(
        "shape:rebind-same-name, wrap-inside-if",
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.Adam()
        if amp:
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')
        """,
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.legacy.Adam()
        if amp:
            opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
        """,
    ),
    Row(
        "new-lso:called-with-old-loss_scale-arg",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, loss_scale='dynamic')
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)
        """,
    ),
    Row(
        "new-lso:called-with-old-loss_scale-arg",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, loss_scale=128)
        """,
        findings=("LS201 the current class takes no `loss_scale`",),
    ),
    Row(
        "new-lso:called-with-old-loss_scale-arg",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, False, 128)
        """,
    ),
    Row(
        "ls-ctor:DynamicLossScale",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        import tensorflow as tf
        opt = mp.LossScaleOptimizer(opt, tf.train.experimental.DynamicLossScale(
            (2 ** 12), steps))
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        opt = mp.LossScaleOptimizer(opt, initial_scale=(2 ** 12), dynamic_growth_steps=steps)
        """,
    ),
    Row(
        "ls-ctor:DynamicLossScale",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        import tensorflow as tf
        opt = mp.LossScaleOptimizer(opt, tf.train.experimental.DynamicLossScale(multiplier=1.5))
        """,
        findings=(
            "LS101 the import stays as it is: line 3 still needs it",
            "LS201 a multiplier of 1.5 has no equivalent: from TensorFlow 2.4",
        ),
    ),
    Row(
        "ls-ctor:FixedLossScale",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        import tensorflow as tf
        opt = mp.LossScaleOptimizer(opt, tf.train.experimental.FixedLossScale(64))
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        opt = mp.LossScaleOptimizer(opt, dynamic=False, initial_scale=64)
        """,
    ),
    Row(
        "ls-ctor:assigned-to-variable",
        """
        import tensorflow as tf
        def wrap(opt):
            scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=1024)
            return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scale)
        """,
        """
        import tensorflow as tf
        def wrap(opt):
            return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=1024)
        """,
    ),
    Row(
        "ls-ctor:shared",
        """
        import tensorflow as tf
        def wrap(a, b):
            scale = tf.train.experimental.DynamicLossScale()
            a = tf.keras.mixed_precision.experimental.LossScaleOptimizer(a, scale)
            b = tf.keras.mixed_precision.experimental.LossScaleOptimizer(b, scale)
            return a, b
        """,
        """
        import tensorflow as tf
        def wrap(a, b):
            scale = tf.compat.v1.mixed_precision.DynamicLossScale()
            a = tf.keras.mixed_precision.experimental.LossScaleOptimizer(a, scale)
            b = tf.keras.mixed_precision.experimental.LossScaleOptimizer(b, scale)
            return a, b
        """,
        findings=(
            "LS201 scale is also used on line 5, and the optimizer no longer",
            "LS201 scale is also used on line 4, and the optimizer no longer",
        ),
    ),
    Row(
        "read:loss_scale_obj()-call",
        """
        import tensorflow as tf
        def wrap(opt):
            scaler = tf.train.experimental.DynamicLossScale()
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scaler)
            tf.identity(scaler(), name='loss_scale')
            return opt
        """,
        """
        import tensorflow as tf
        def wrap(opt):
            scaler = tf.compat.v1.mixed_precision.DynamicLossScale()
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, scaler)
            tf.identity(scaler(), name='loss_scale')
            return opt
        """,
        findings=("LS201 scaler is also used on line 5, and the optimizer no longer",),
    ),
    Row(
        "subclass:LossScale",
        """
        import tensorflow as tf
        class Backoff(tf.mixed_precision.experimental.LossScale):
            pass
        """,
        findings=("LS203 no current Keras optimizer takes a loss scale of your own",),
    ),
    Row(
        "read:opt.loss_scale()-call",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        print(opt.loss_scale().numpy())
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        print(opt.loss_scale.numpy())
        """,
    ),
    Row(
        "read:opt.loss_scale()-call",
        """
        import tensorflow as tf
        def report(opt):
            if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                print(opt.loss_scale())
        """,
        """
        import tensorflow as tf
        def report(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                print(opt.loss_scale)
        """,
    ),
    Row(
        "read:opt.loss_scale()-call",
        """
        import tensorflow as tf
        def report(optimizer):
            tf.keras.mixed_precision.experimental.set_policy('float32')
            print(optimizer.loss_scale())
        """,
        """
        import tensorflow as tf
        def report(optimizer):
            tf.keras.mixed_precision.set_global_policy('float32')
            print(optimizer.loss_scale())
        """,
        findings=("LS301 that this is a loss-scale optimizer is not proven in this",),
    ),
    Row(
        "read:._loss_scale()-call",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        print(opt._loss_scale())
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        print(opt.loss_scale)
        """,
    ),
    Row(
        "read:._current_loss_scale",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        print(opt.loss_scale._current_loss_scale.numpy())
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        print(opt.loss_scale._current_loss_scale.numpy())
        """,
        findings=("LS301 _current_loss_scale of the loss scale object has no equivalent",),
    ),
    Row(
        "read:._current_loss_scale",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16')
        print(policy.loss_scale._current_loss_scale)
        """,
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.Policy('mixed_float16')
        print(policy.loss_scale._current_loss_scale)
        """,
        findings=("LS504 policies have no loss scale any more",),
    ),
    Row(
        "read:opt._optimizer",
        """
        import tensorflow as tf
        def base(opt):
            if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                opt = opt._optimizer
            return opt
        """,
        """
        import tensorflow as tf
        def base(opt):
            if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):
                opt = opt.inner_optimizer
            return opt
        """,
    ),
    Row(
        "read:self._optimizer",
        """
        import tensorflow as tf
        class Trainer:
            def __init__(self, optimizer):
                tf.keras.mixed_precision.experimental.set_policy('float32')
                self._optimizer = optimizer

            def lr(self):
                return self._optimizer.lr
        """,
        """
        import tensorflow as tf
        class Trainer:
            def __init__(self, optimizer):
                tf.keras.mixed_precision.set_global_policy('float32')
                self._optimizer = optimizer

            def lr(self):
                return self._optimizer.lr
        """,
    ),
    Row(
        "use:get_scaled_loss, use:get_unscaled_gradients",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        scaled = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled, variables))
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        scaled = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled, variables))
        """,
    ),
    Row(
        "use:get_config",
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        print(opt.get_config()['loss_scale'])
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        print(opt.get_config()['loss_scale'])
        """,
        findings=("LS311 it is no key of the new config",),
    ),
    Row(
        "isinstance:EXP_LSO",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        ok = isinstance(opt, (Other, mp.LossScaleOptimizer))
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        ok = isinstance(opt, (Other, mp.LossScaleOptimizer))
        """,
    ),
    Row(
        "isinstance:type()==LSO",
        """
        import tensorflow as tf
        ok = type(opt) == tf.keras.mixed_precision.experimental.LossScaleOptimizer
        """,
        findings=("LS401 what the current class makes is of other classes",),
    ),
    Row(
        "isinstance:V1_LSO",
        """
        import tensorflow as tf
        ok = isinstance(opt, tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer)
        """,
    ),
    Row(
        "annotation:*",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        def step(opt: mp.LossScaleOptimizer, policy: 'mp.Policy'):
            pass
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        def step(opt: mp.LossScaleOptimizer, policy: 'mp.Policy'):
            pass
        """,
    ),
    Row(
        "subclass:EXP_LSO",
        """
        import tensorflow as tf
        class Mine(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            pass
        """,
        findings=("LS204 a subclass depends on the constructor and the private parts",),
    ),
    Row(
        "subclass:NEW_LSO",
        """
        import tensorflow as tf
        class Mine(tf.keras.mixed_precision.LossScaleOptimizer):
            pass
        """,
        findings=("LS206 this is a subclass of the current class",),
    ),
    Row(
        "policy:exp-Policy-call, policy:exp-set_policy-call, policy:exp-global_policy-call",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        mp.set_policy(mp.Policy('mixed_bfloat16'))
        print(mp.global_policy().name)
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        mp.set_global_policy(mp.Policy('mixed_bfloat16'))
        print(mp.global_policy().name)
        """,
    ),
    Row(
        "policy:with-loss_scale",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16', 'dynamic')
        """,
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.Policy('mixed_float16')
        """,
    ),
    Row(
        "policy:with-loss_scale",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.Policy('float32', loss_scale=None)
        """,
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.Policy('float32')
        """,
    ),
    Row(
        "policy:with-loss_scale",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        policy = mp.Policy('mixed_float16', loss_scale=128)
        """,
        findings=(
            "LS101 the import stays as it is: line 2 still needs it",
            "LS502 the new Policy has no loss scale, and 128 is not the one",
        ),
    ),
    Row(
        "policy:with-loss_scale",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        policy = mp.Policy('mixed_float16', loss_scale=None)
        """,
        findings=(
            "LS101 the import stays as it is: line 2 still needs it",
            "LS502 under mixed_float16, Model.compile always wraps the",
        ),
    ),
    Row(
        "policy:get_layer_policy-call",
        """
        import tensorflow as tf
        name = tf.keras.mixed_precision.experimental.get_layer_policy(layer).name
        """,
        """
        name = layer.dtype_policy.name
        """,
    ),
    Row(
        "policy:get_layer_policy-call",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        scaled = mp.get_layer_policy(model).loss_scale is not None
        """,
        findings=("LS101 the import stays as it is", "LS501 policies have no loss scale any more"),
    ),
    Row(
        "read:policy.loss_scale",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.global_policy()
        if policy.loss_scale is None:
            pass
        """,
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.global_policy()
        if policy.loss_scale is None:
            pass
        """,
        findings=("LS504 policies have no loss scale any more",),
    ),
    Row(
        "read:policy.loss_scale",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.global_policy()
        print(policy.loss_scale)
        """,
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.global_policy()
        print(policy.loss_scale)
        """,
        findings=("LS504 policies have no loss scale any more",),
    ),
    Row(
        "policy:infer-name",
        """
        import tensorflow as tf
        policy = tf.keras.mixed_precision.experimental.Policy('infer')
        """,
        findings=("LS502 there is no policy of this name any more: 'infer'",),
    ),
    Row(
        "policy:infer-name",
        """
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy('infer_float32_vars')
        """,
        findings=("LS501 there is no policy of this name any more:",),
    ),
    Row(
        "policy:policy_scope",
        """
        from tensorflow.python.keras.mixed_precision.experimental import policy
        with policy.policy_scope('mixed_float16'):
            build()
        """,
        findings=(
            "LS101 the import stays as it is: line 2 still needs it",
            "LS501 policy_scope is private and gone",
        ),
    ),
    Row(
        "policy:name-not-literal",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        mp.set_policy(mp.Policy(flags.dtype))
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        mp.set_global_policy(mp.Policy(flags.dtype))
        """,
    ),
    Row(
        "rewrite:call, Keras",
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.Adam()
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128)
        """,
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.legacy.Adam()
        opt = tf.keras.mixed_precision.LossScaleOptimizer(opt, dynamic=False, initial_scale=128)
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
        """,
    ),
    Row(
        "rewrite:call, v1",
        """
        import tensorflow as tf
        opt = tf.compat.v1.train.AdamOptimizer()
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 'dynamic')
        """,
        """
        import tensorflow as tf
        opt = tf.compat.v1.train.AdamOptimizer()
        opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt, 'dynamic')
        """,
    ),
    Row(
        "rewrite:call, unknown",
        """
        import tensorflow as tf
        def wrap(opt):
            return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
        """,
        findings=("LS602 whether it wraps a v1 or a Keras optimizer is not proven",),
    ),
    Row(
        "rewrite:nested-optimizer-ctor",
        """
        import tensorflow as tf
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.Adam())
        """,
        """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.Adam())
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
        """,
    ),
    Row(
        "rewrite:result-discarded",
        """
        import tensorflow as tf
        tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD())
        """,
        """
        import tensorflow as tf
        tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.legacy.SGD())
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
        """,
    ),
    Row(
        "v1-lso:call",
        """
        import tensorflow as tf
        opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
            opt, config['loss_scale'])
        """,
        """
        import tensorflow as tf
        opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
            opt, config['loss_scale'])
        """,
    ),
    Row(
        "contrib-lso:call",
        """
        import tensorflow as tf
        manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(
            1024, 500, decr_every_n_nan_or_inf=1, incr_ratio=2, decr_ratio=0.5)
        opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
        """,
        findings=(
            "LS603 tf.contrib is gone; a DynamicLossScale halves",
            "LS603 tf.contrib is gone, and so is the manager of this optimizer",
        ),
    ),
    Row(
        "contrib-lso:call",
        """
        import tensorflow as tf
        manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(1024, 500)
        opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
        """,
        findings=(
            "LS603 tf.contrib is gone; a DynamicLossScale halves",
            "LS603 tf.contrib is gone, and so is the manager of this optimizer",
        ),
    ),
    Row(
        "combo:estimator",
        """
        import tensorflow as tf
        def model_fn(features, labels, mode):
            opt = tf.compat.v1.train.AdamOptimizer()
            opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
            return tf.estimator.EstimatorSpec(mode, train_op=opt.minimize(loss))
        """,
        """
        import tensorflow as tf
        def model_fn(features, labels, mode):
            opt = tf.compat.v1.train.AdamOptimizer()
            opt = tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite(opt)
            return tf.estimator.EstimatorSpec(mode, train_op=opt.minimize(loss))
        """,
        ("LS902 it ended with TensorFlow 2.15",),
    ),
    Row(
        "combo:horovod-DistributedOptimizer",
        """
        import tensorflow as tf
        import horovod.tensorflow.keras as hvd
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        opt = hvd.DistributedOptimizer(opt)
        """,
        """
        import tensorflow as tf
        import horovod.tensorflow.keras as hvd
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        opt = hvd.DistributedOptimizer(opt)
        """,
    ),
    Row(
        "combo:horovod-DistributedOptimizer",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        import tensorflow as tf
        import horovod.tensorflow.keras as hvd
        opt = hvd.DistributedOptimizer(tf.keras.optimizers.SGD())
        opt = mp.LossScaleOptimizer(opt, 128)
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        import tensorflow as tf
        import horovod.tensorflow.keras as hvd
        opt = hvd.DistributedOptimizer(tf.keras.optimizers.legacy.SGD())
        opt = mp.LossScaleOptimizer(opt, dynamic=False, initial_scale=128)
        """,
    ),
    Row(
        "combo:distribution-strategy",
        """
        from tensorflow.keras.mixed_precision import experimental as mp
        with strategy.scope():
            opt = mp.LossScaleOptimizer(make(), 'dynamic')
        """,
        """
        from tensorflow.keras import mixed_precision as mp
        with strategy.scope():
            opt = mp.LossScaleOptimizer(make())
        """,
    ),
    Row(
        "guard:version-if",
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split('.')[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
        else:
            tf.keras.mixed_precision.set_global_policy('mixed_float16')
        """,
        findings=("LS701 it is the branch for old versions of the guard on line 2,",),
    ),
    Row(
        "guard:try-except",
        """
        try:
            from tensorflow.keras.mixed_precision import LossScaleOptimizer
        except ImportError:
            from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        """,
        findings=("LS701 it is the branch for old versions of the guard on line 1,",),
    ),
    Row(
        "guard:try-except-broad",
        """
        import tensorflow as tf
        try:
            tf.keras.mixed_precision.set_global_policy('mixed_float16')
        except:
            tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
        """,
        findings=("LS701 it is the branch for old versions of the guard on line 2,",),
    ),
    Row(
        "guard:hasattr/getattr-on-mixed_precision",
        """
        import tensorflow as tf
        if hasattr(tf.keras.mixed_precision, 'set_global_policy'):
            tf.keras.mixed_precision.set_global_policy('mixed_float16')
        else:
            tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
        """,
        findings=("LS701 it is the branch for old versions of the guard on line 2,",),
    ),
    Row(
        "guard:hasattr/getattr-on-mixed_precision",
        """
        import tensorflow as tf
        mp = getattr(tf.keras.mixed_precision, 'experimental', tf.keras.mixed_precision)
        """,
        findings=("LS802 this looks for an old name by its name",),
    ),
    Row(
        "mixed:old-and-new-in-one-file",
        """
        import tensorflow as tf
        tf.keras.mixed_precision.set_global_policy('mixed_float16')
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(), 'dynamic')
        """,
        """
        import tensorflow as tf
        tf.keras.mixed_precision.set_global_policy('mixed_float16')
        opt = tf.keras.mixed_precision.LossScaleOptimizer(make())
        """,
    ),
    Row(
        "string:in-string-literal",
        """
        print('use tf.keras.mixed_precision.experimental.LossScaleOptimizer')
        """,
    ),
    Row(
        "string:in-docstring",
        '''
        def f():
            """See tf.keras.mixed_precision.experimental.Policy."""
        ''',
    ),
    Row(
        "string:bare-class-name",
        """
        import tensorflow as tf
        names = ['LossScaleOptimizer']
        tf.keras.mixed_precision.experimental.set_policy('float32')
        """,
        """
        import tensorflow as tf
        names = ['LossScaleOptimizer']
        tf.keras.mixed_precision.set_global_policy('float32')
        """,
    ),
    Row(
        "string:class-name-compare",
        """
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy('float32')
        ok = type(opt).__name__ == 'LossScaleOptimizer'
        """,
        """
        import tensorflow as tf
        tf.keras.mixed_precision.set_global_policy('float32')
        ok = type(opt).__name__ == 'LossScaleOptimizer'
        """,
    ),
    Row(
        "comment:commented-out-old-code",
        """
        import tensorflow as tf
        # tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
        """,
    ),
    Row(
        "not found: custom_objects",
        """
        import tensorflow as tf
        model = tf.keras.models.load_model(path, custom_objects={
            'LossScaleOptimizer': tf.keras.mixed_precision.experimental.LossScaleOptimizer})
        """,
        findings=("LS401 tf-keras cannot load the current class as a custom object",),
    ),
    Row(
        "not found: __all__",
        """
        from tensorflow.keras.mixed_precision.experimental import global_policy
        __all__ = ['global_policy']
        """,
        """
        from tensorflow.keras.mixed_precision import global_policy
        __all__ = ['global_policy']
        """,
    ),
    Row(
        "not found: __all__",
        """
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        __all__ = ['LossScaleOptimizer']
        """,
        findings=("LS101 the import stays as it is: `__all__` offers",),
    ),
    Row(
        "not found: mock/patch",
        """
        import tensorflow as tf
        from unittest import mock
        @mock.patch('tf.keras.mixed_precision.experimental.LossScaleOptimizer')
        def test(wrapper):
            pass
        """,
    ),
    Row(
        "look-alikes",
        """
        from apex.fp16_utils import DynamicLossScaler
        from mylib.mixed_precision import experimental as mp
        opt = mp.LossScaleOptimizer(opt, 'dynamic')
        class LossScaleOptimizer:
            pass
        opt = LossScaleOptimizer(opt, 'dynamic')
        """,
    ),
]

PATTERNS = {
    "alias:module-assigned-to-attribute",
    "alias:module-assigned-to-name",
    "alias:symbol-assigned",
    "annotation:*",
    "combo:distribution-strategy",
    "combo:estimator",
    "combo:horovod-DistributedOptimizer",
    "comment:commented-out-old-code",
    "contrib-lso:call",
    "exp-lso:**kwargs",
    "exp-lso:None",
    "exp-lso:inside-cond-expr",
    "exp-lso:lit-dynamic",
    "exp-lso:lit-number",
    "exp-lso:multi-line",
    "exp-lso:nested-optimizer-ctor",
    "exp-lso:passed-inline-to-call",
    "exp-lso:returned-directly",
    "guard:hasattr/getattr-on-mixed_precision",
    "guard:try-except",
    "guard:try-except-broad",
    "guard:version-if",
    "hazard:third-party-root-same-suffix",
    "import:compat.v1-as-other",
    "import:compat.v1-as-tf",
    "import:from-contrib",
    "import:from-mp-import-experimental-as",
    "import:from-mp.experimental-import-name",
    "import:import-module-as",
    "import:private-tensorflow.python",
    "import:tf.compat.v1.keras.mixed_precision",
    "indirect:class-via-property",
    "isinstance:EXP_LSO",
    "isinstance:V1_LSO",
    "isinstance:type()==LSO",
    "ls-ctor:DynamicLossScale",
    "ls-ctor:FixedLossScale",
    "ls-ctor:assigned-to-variable",
    "mixed:old-and-new-in-one-file",
    "new-lso:called-with-old-loss_scale-arg",
    "policy:exp-Policy-call",
    "policy:exp-global_policy-call",
    "policy:exp-set_policy-call",
    "policy:get_layer_policy-call",
    "policy:infer-name",
    "policy:name-not-literal",
    "policy:policy_scope",
    "policy:with-loss_scale",
    "read:._current_loss_scale",
    "read:._loss_scale()-call",
    "read:loss_scale_obj()-call",
    "read:opt._optimizer",
    "read:opt.loss_scale()-call",
    "read:policy.loss_scale",
    "read:self._optimizer",
    "rewrite:call",
    "rewrite:nested-optimizer-ctor",
    "rewrite:result-discarded",
    "string:bare-class-name",
    "string:class-name-compare",
    "string:in-docstring",
    "string:in-string-literal",
    "subclass:EXP_LSO",
    "subclass:LossScale",
    "subclass:NEW_LSO",
    "use:get_config",
    "use:get_scaled_loss",
    "use:get_unscaled_gradients",
    "v1-lso:call",
}
"""The names of all patterns, to see that none is missing."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.names)
def test_what_becomes_of_a_pattern(row: Row) -> None:
    before = program(row.before)
    after = before if row.after is None else program(row.after)
    result = migrate_source(before)
    assert result.problem == ""
    assert result.text == after.replace("HELPER", HELPER_SOURCE.strip())
    findings = [r for r in result.records if r.outcome is Outcome.NEEDS_REVIEW]
    assert len(findings) == len(row.findings), findings
    for record, expected in zip(findings, row.findings, strict=True):
        assert f"{record.rule} {record.message}".startswith(expected)
    again = migrate_source(result.output)
    assert again.status is Status.UNCHANGED


def test_every_pattern_has_a_row() -> None:
    named = {name.split()[0] for row in ROWS for name in row.names.split(", ")}
    assert named >= PATTERNS
