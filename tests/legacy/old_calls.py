# SPDX-License-Identifier: Apache-2.0
"""Calls of removed members and in old signatures, for TensorFlow 2.0 to 2.4 and for `run`.

`PYTHON old_calls.py` prints what each of them gives, as JSON. `old-calls.json` has that of 2.1.4
and of 2.3.4, without this package.
"""

import json
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
X = np.array([[1.0, 2.0], [2.0, -1.0]], "float32")


def model(units=2, names=("a", "b")):
    """Makes a model of known weights."""
    made = keras.Sequential(
        [
            keras.layers.Dense(3, name=names[0], input_shape=(2,)),
            keras.layers.Dense(units, "softmax" if units > 1 else "sigmoid", name=names[1]),
        ]
    )
    made.set_weights([np.arange(w.size).reshape(w.shape) / 8.0 - 0.25 for w in made.get_weights()])
    made.compile(keras.optimizers.SGD(0.5, 0.5), "mse")
    return made


def saved(name, *args, **kwargs):
    """Trains, saves, loads and trains: the optimizer's state shows whether it was saved."""
    kept = model()
    kept.fit(X, X, epochs=2, verbose=0, shuffle=False)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{name}"
        if kwargs.pop("function", False):
            keras.models.save_model(kept, path, *args, **kwargs)
        else:
            kept.save(path, *args, **kwargs)
        loaded = keras.models.load_model(path)
        is_file = os.path.isfile(path)
    has_optimizer = getattr(loaded, "optimizer", None) is not None
    same = map(np.array_equal, kept.get_weights(), loaded.get_weights())
    return [is_file, has_optimizer, all(same)]


def by_name(*args):
    """Loads the weights of the layers of the same name alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/weights.h5"
        model().save_weights(path)
        other = model(names=("a", "c"))
        other.set_weights([np.zeros_like(weight) for weight in other.get_weights()])
        other.load_weights(path, *args)
    return [bool(weight.any()) for weight in other.get_weights()]


class Updated(keras.layers.Layer):
    """Counts its calls, with the old arguments of the methods for it."""

    def build(self, shape):
        """Makes the counter."""
        self.count = self.add_weight("count", [], initializer="zeros", trainable=False)

    def call(self, x):
        """Counts, and adds a loss and a metric."""
        self.add_update([self.count.assign_add(1.0)], x)
        self.add_update([self.count.assign_add(1.0)], inputs=True)
        return x


class Lossy(keras.layers.Layer):
    """Adds a loss, with the old arguments."""

    def call(self, x):
        """Adds it."""
        self.add_loss(tf.reduce_sum(x), True)
        return x


class Measured(keras.layers.Layer):
    """Adds a metric, with the old arguments."""

    def call(self, x):
        """Adds it."""
        self.add_metric(tf.reduce_sum(x), "mean", "total")
        return x


def updated():
    """Returns the count after one call."""
    layer = Updated()
    layer(X)
    return float(layer.count.numpy())


def lossy():
    """Returns the layer's losses."""
    layer = Lossy()
    layer(X)
    return [float(loss) for loss in layer.losses]


def measured():
    """Returns the names and values of the model's metrics."""
    inputs = keras.Input([2])
    made = keras.Model(inputs, Measured()(inputs))
    made.compile("sgd", "mse")
    values = made.evaluate(X, X, verbose=0)
    return [made.metrics_names, [float(value) for value in values]]


def options():
    """Returns what is read of options, and the elements of a dataset with them."""
    made = tf.data.Options()
    made.experimental_optimization.autotune_buffers = True
    made.experimental_optimization.autotune = False
    made.experimental_optimization.hoist_random_uniform = True
    rows = list(tf.data.Dataset.range(3).with_options(made).as_numpy_iterator())
    optimization = made.experimental_optimization
    return [optimization.autotune, optimization.autotune_buffers, [int(row) for row in rows]]


def rows():
    """Returns the rows of a dataset of arrays."""
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    made = strategy.experimental_make_numpy_dataset((X, np.arange(2)))
    return [[x.tolist(), int(y)] for x, y in made.as_numpy_iterator()]


def deserialized(function):
    """Returns what becomes of a name and of a config."""
    named = function("relu", {"relu": tf.nn.relu}, None, "function")
    config = {"class_name": "Dense", "config": {"units": 2, "name": "d"}}
    layer = function(identifier=config, module_objects={"Dense": keras.layers.Dense})
    return [float(named(-1.0)), layer.name, layer.units]


def serialized(function):
    """Returns the parts of what a function and a layer become."""
    layer = function(instance=keras.layers.ReLU(name="r"))
    return [function(tf.nn.relu), sorted(layer), layer["class_name"], layer["config"]["name"]]


def all_reduced():
    """Returns a sum over one replica, with hints."""
    hints = tf.distribute.experimental.CollectiveHints(bytes_per_pack=8)
    context = tf.distribute.get_replica_context()
    return float(context.all_reduce("sum", tf.constant(3.0), experimental_hints=hints))


def stepped():
    """Steps as Keras' own training step of TensorFlow 2.3, with an optimizer that clips."""
    optimizer, v = keras.optimizers.SGD(1.0, clipvalue=0.5), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        squared = v * v
    gradients = optimizer._aggregate_gradients([(tape.gradient(squared, v), v)])
    gradients = optimizer._clip_gradients(gradients)
    optimizer.apply_gradients([(gradients[0], v)], experimental_aggregate_gradients=False)
    return float(v)


class Line(keras.Model):
    """A line through the origin, by a class."""

    def __init__(self):
        """Makes the layer."""
        super().__init__()
        self.slope = keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)

    def call(self, x):
        """Computes it."""
        return self.slope(x)


def scalars():
    """Returns what models give that are not told that an example is one number."""
    x, given = np.array([1.0, 2.0], "float32"), []
    for made in (Line(), keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])):
        made.compile(keras.optimizers.SGD(0.125), "mse")
        history = made.fit(x, 2 * x, epochs=2, verbose=0, shuffle=False).history
        given += [history["loss"], made.predict(x).tolist(), made.evaluate(x, 2 * x, verbose=0)]
    return given


loss, losses, metrics = tf.nn.compute_average_loss, keras.losses, keras.metrics


def with_float16(call):
    """Makes a call under mixed_float16."""
    experimental = keras.mixed_precision.experimental
    experimental.set_policy("mixed_float16")
    try:
        return call()
    finally:
        experimental.set_policy("float32")


def normalized():
    """What a normalization learns of numbers whose squares are beyond float16."""
    layer = keras.layers.experimental.preprocessing.Normalization()
    layer.adapt(np.array([[200.0], [400.0]] * 8, "float32"))
    mean, variance = layer.get_weights()[:2]
    return [layer(X[:, :1]).dtype.name, mean.tolist(), variance.tolist()]


def averaged():
    """The average of as many losses in float16 as this type cannot count."""
    ones = tf.ones([1 << 16, 1], "float16")
    value = keras.losses.MeanSquaredError()(ones * 2, ones)
    return [value.dtype.name, float(value)]


CALLS = {
    "predict_classes": lambda: model().predict_classes(X).tolist(),
    "predict_classes of one": lambda: model(1).predict_classes(X, 1, 0).tolist(),
    "predict_proba": lambda: model().predict_proba(X).argmax(-1).tolist(),
    "apply": lambda: model().layers[0].apply(X).numpy().tolist(),
    "get_losses_for": lambda: len(model().get_losses_for(None)),
    "make_numpy_dataset": rows,
    "options": options,
    "save": lambda: saved("m", True, True, "h5"),
    "save without optimizer": lambda: saved("m.h5", True, False),
    "save by name": lambda: saved("m", overwrite=True, include_optimizer=False, save_format="h5"),
    "save SavedModel": lambda: saved("m", True, True, "tf", None),
    "save .keras": lambda: saved("m.keras", include_optimizer=False),
    "save .keras by position": lambda: saved("m.keras", True, True),
    "save_model": lambda: saved("m", True, True, "h5", function=True),
    "load_weights": lambda: by_name(True),
    "load_weights, skipping": lambda: by_name(True, True),
    "compile": lambda: model().compile("sgd", "mse", None, None, "temporal"),
    "add_update": updated,
    "add_loss": lossy,
    "add_metric": measured,
    "reduction": lambda: [
        losses.SparseCategoricalCrossentropy(True, "none").reduction,
        losses.BinaryCrossentropy(True, 0.0, losses.Reduction.SUM, "b").reduction,
        losses.CategoricalCrossentropy(False, 0.0, "sum").reduction,
    ],
    "loss": lambda: (
        losses.SparseCategoricalCrossentropy(False, "none")([0, 1], X / 4.0 + 0.5).numpy().shape
    ),
    "metric": lambda: metrics.SensitivityAtSpecificity(0.5, 20, "s").name,
    "TensorBoard": lambda: keras.callbacks.TensorBoard("d", 0, True, False, "epoch").update_freq,
    "Conv2D": lambda: keras.layers.Conv2D(*(2, 3, 1, "same", None, 1, "relu", False)).get_config()[
        "use_bias"
    ],
    "DepthwiseConv2D": lambda: keras.layers.DepthwiseConv2D(
        *(3, 1, "same", 1, None, "relu", False)
    ).get_config()["use_bias"],
    "LoadOptions": lambda: tf.saved_model.LoadOptions("/job:localhost").experimental_io_device,
    "average": lambda: float(loss([1.0, 2.0], global_batch_size=4.0)),
    "average of weighted": lambda: float(loss([1.0, 2.0], [0.5, 1.0], tf.constant(4.0))),
    "average of integers": lambda: float(loss([1.0, 2.0], global_batch_size=4)),
    "all_reduce": all_reduced,
    "words": lambda: keras.preprocessing.text.text_to_word_sequence(text="a b"),
    "deserialize": lambda: deserialized(keras.utils.deserialize_keras_object),
    "serialize": lambda: serialized(keras.utils.serialize_keras_object),
    "schedule": lambda: float(keras.experimental.LinearCosineDecay(0.5, 8)(3)),
    "step": stepped,
    "scalars": scalars,
    "normalization": lambda: with_float16(normalized),
    "losses": lambda: with_float16(averaged),
    "initializer": lambda: tf.lookup.experimental.DatasetInitializer.__name__,
}


def main():
    """Prints what the calls give."""
    told = {}
    for name, call in CALLS.items():
        keras.backend.clear_session()
        try:
            told[name] = call()
        except Exception as error:
            told[name] = type(error).__name__
            if len(sys.argv) > 1:
                raise
    json.dump(told, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
