# SPDX-License-Identifier: Apache-2.0
"""Models, layers and optimizers of `tensorflow.python.keras`, with loss scaling, and what it tracks."""
# versions: 2.3 2.4
import numpy as np
import tensorflow as tf
from tensorflow.python.keras import backend, layers, models, optimizers
from tensorflow.python.keras.engine import base_layer, training
from tensorflow.python.keras.optimizer_v2 import adam, gradient_descent, learning_rate_schedule
from tensorflow.python.training.tracking import base, graph_view, tracking

from observe import observe

observe("same layers", [layers.Dense is tf.keras.layers.Dense, models.Model is tf.keras.Model])
observe("base classes", [issubclass(layers.Dense, base_layer.Layer), issubclass(tf.keras.Model, training.Model)])
observe("same optimizers", [adam.Adam is tf.keras.optimizers.Adam, backend.floatx()])
observe("by name", type(optimizers.get("sgd")).__name__)
observe("trackable", [issubclass(tf.Module, tracking.AutoTrackable), issubclass(tf.Variable, base.Trackable)])

for name, make in [
    ("sgd", lambda: gradient_descent.SGD(0.1, momentum=0.5)),
    ("adam", lambda: adam.Adam(learning_rate_schedule.ExponentialDecay(0.1, 2, 0.5))),
]:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        make(), tf.mixed_precision.experimental.DynamicLossScale(16.0, increment_period=2)
    )
    dense = layers.Dense(1, kernel_initializer="ones")
    model = models.Sequential([dense])
    model.compile(opt, "mse")
    for step, value in enumerate([1.0, float("nan"), 1.0, 2.0]):
        model.train_on_batch(np.full((2, 3), value, "f4"), np.zeros((2, 1), "f4"))
        scale = opt.loss_scale
        observe("%s.%d.scale" % (name, step), float(scale() if callable(scale) else scale))
        observe("%s.%d.weights" % (name, step), dense.kernel.numpy().ravel().tolist())

root = tf.Module()
root.part = tf.Module()
root.part.weights = tf.Variable([1.0, 2.0])
saved, _, _ = graph_view.ObjectGraphView(root).serialize_object_graph()
observe("keys", [one.name for one in saved])
observe("saved", [one.op is root.part.weights for one in saved])
