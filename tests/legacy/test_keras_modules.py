# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.python.keras` means tf-keras to programs, and to TensorFlow what it meant."""

from __future__ import annotations

import textwrap

from compat_lossscale.neighbour_names import keras_names
from tests.support import run_code

MODULES = sorted(one.name.removesuffix(".*") for one in keras_names.MODULES)
# What programs import of modules that kept their place.
KEPT = """
activations backend backend_config callbacks callbacks_v1 constraints
distribute.distributed_training_utils engine.base_layer engine.base_layer_utils engine.base_layer_v1
engine.compile_utils engine.data_adapter engine.functional engine.input_layer engine.input_spec
engine.keras_tensor engine.node engine.sequential engine.training engine.training_utils
engine.training_v1 layers.serialization layers.preprocessing.image_preprocessing losses metrics
optimizer_v2.adam optimizer_v2.gradient_descent optimizer_v2.optimizer_v2 optimizer_v2.rmsprop
preprocessing.image preprocessing.sequence preprocessing.text regularizers saving.saved_model.load
saving.saved_model.save utils.conv_utils utils.data_utils utils.layer_utils utils.losses_utils
utils.np_utils utils.tf_utils utils.vis_utils
"""


def test_programs_get_tf_keras_and_tensorflow_its_own() -> None:
    run_code(
        f"""
        import sys
        import tensorflow as tf
        tf.keras.layers
        def modules():
            return {{name: sys.modules[name] for name in sys.modules if "python.keras" in name}}
        found = modules()
        paths = list(sys.meta_path)
        import compat_lossscale
        compat_lossscale.install()
        for name in {MODULES + [f"{keras_names.PRIVATE}.{name}" for name in KEPT.split()]!r}:
            __import__(name)

        # The ways to import, and that all of them lead to one class.
        from tensorflow.python import keras
        from tensorflow.python.keras import backend as K, layers, models, optimizers
        from tensorflow.python.keras.layers import *
        from tensorflow.python.keras.optimizer_v2 import adam, learning_rate_schedule, optimizer_v2
        import tensorflow.python.keras.layers.core as core
        assert Dense is core.Dense is keras.layers.Dense is tf.keras.layers.Dense
        assert core.Dropout is tf.keras.layers.Dropout
        assert keras.Model is models.Model is tf.keras.Model
        assert keras.backend is K and K.get_session
        assert keras.optimizers is optimizers and optimizers.Adam is adam.Adam
        assert issubclass(adam.Adam, optimizer_v2.OptimizerV2)
        assert adam.Adam is tf.keras.optimizers.legacy.Adam
        assert isinstance(optimizers.get("adam"), adam.Adam)
        schedules = tf.keras.optimizers.schedules
        assert learning_rate_schedule.ExponentialDecay is schedules.ExponentialDecay

        # Its optimizers can be wrapped, by the old names that stand there too.
        from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer
        wrapped = loss_scale_optimizer.LossScaleOptimizer(adam.Adam(), "dynamic")
        assert float(wrapped.loss_scale()) == 2.0**15

        # TensorFlow's own layers and cells go on, with their own Keras.
        with tf.Graph().as_default():
            tf.compat.v1.layers.Dense(3)(tf.ones((2, 2)))
            private = found["tensorflow.python.keras.layers.core"].Dense(3)
            assert private(tf.ones((2, 2))).shape == (2, 3)
            cell = tf.compat.v1.nn.rnn_cell.LSTMCell(3)
            tf.compat.v1.nn.dynamic_rnn(cell, tf.ones((2, 3, 4)), dtype=tf.float32)
            tf.compat.v1.layers.batch_normalization(tf.ones((2, 2)), training=True)

        for name in ("no_such", "layers.no_such", "wrappers.scikit_learn"):
            try:
                __import__("tensorflow.python.keras." + name)
            except ModuleNotFoundError as error:
                assert str(error).startswith("No module named 'tensorflow.python.keras."), error
            else:
                raise AssertionError(name)

        compat_lossscale.uninstall()
        assert sys.meta_path == paths
        # What TensorFlow has imported itself meanwhile stays imported.
        assert found.items() <= modules().items()
        assert {{type(module) for module in modules().values()}} == {{type(sys)}}
        from tensorflow.python.keras.layers import Dense
        assert Dense is found["tensorflow.python.keras.layers"].Dense
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )


COMPUTE_LOSS = """
import numpy as np
import tensorflow as tf

class Loss:
    def compute_loss(self, labels, logits):
        return "the mixin's"

class Mixed(tf.keras.Sequential, Loss):
    def own_loss(self):
        return self.compute_loss(1, 2)

class Plain(tf.keras.Sequential):
    pass

def trained(cls):
    model = cls([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    return model, model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0).history["loss"]
"""


def test_a_mixin_keeps_its_compute_loss_and_models_train_as_before() -> None:
    run_code(
        COMPUTE_LOSS
        + textwrap.dedent("""
        import compat_lossscale
        own, stock = tf.keras.Model.compute_loss, trained(Plain)[1]
        compat_lossscale.install()
        model, loss = trained(Mixed)
        assert model.own_loss() == "the mixin's"
        assert loss == trained(Plain)[1] == stock
        assert Plain.compute_loss is own
        assert trained(Plain)[0].compute_loss.__func__ is own
        compat_lossscale.uninstall()
        assert vars(tf.keras.Model)["compute_loss"] is own
        """),
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
