# SPDX-License-Identifier: Apache-2.0
"""What layers, losses, activations and metrics give under mixed_float16, in old versions and `run`.

`PYTHON float16_calls.py` prints it as JSON: types, shapes, a few numbers, and whether all are
finite. `float16-calls.json` has that of TensorFlow 2.3.4, without this package; 2.4.4 gives the
same.
"""

import json
import sys

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
preprocessing = layers.experimental.preprocessing
FLAT = ["Dense(4)", "Dense(4, kernel_regularizer='l2', activity_regularizer='l2')", "Flatten()"]
FLAT += ["Activation('relu')", "ELU()", "LeakyReLU()", "PReLU()", "ReLU()", "ThresholdedReLU()"]
FLAT += ["Softmax()", "BatchNormalization()", "LayerNormalization()", "RepeatVector(3)"]
FLAT += ["Permute((1,))", "Reshape((2, 4))", "Masking()", "Lambda(lambda x: x * 2)"]
ROWS = ["LSTM(4)", "GRU(4)", "SimpleRNN(4)", "Bidirectional(layers.LSTM(4))", "Conv1D(4, 3)"]
ROWS += ["SeparableConv1D(4, 3)", "Conv1DTranspose(4, 3)", "LocallyConnected1D(4, 3)"]
ROWS += ["MaxPooling1D()", "AveragePooling1D()", "GlobalAveragePooling1D()", "UpSampling1D()"]
ROWS += ["GlobalMaxPooling1D()", "TimeDistributed(layers.Dense(3))", "LayerNormalization()"]
ROWS += ["BatchNormalization()", "ZeroPadding1D()", "Cropping1D()"]
IMAGES = ["Conv2D(4, 3)", "SeparableConv2D(4, 3)", "DepthwiseConv2D(3)", "MaxPooling2D()"]
IMAGES += ["Conv2DTranspose(4, 3)", "LocallyConnected2D(2, 3)", "AveragePooling2D()"]
IMAGES += ["GlobalAveragePooling2D()", "GlobalMaxPooling2D()", "UpSampling2D()", "Cropping2D()"]
IMAGES += ["UpSampling2D(interpolation='bilinear')", "ZeroPadding2D()", "BatchNormalization()"]
IMAGES += ["BatchNormalization(fused=False)", "BatchNormalization(axis=1)"]
IMAGES += ["BatchNormalization(renorm=True)", "LayerNormalization(axis=[1, 2, 3])"]
LOSSES = "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError Poisson CosineSimilarity"
LOSSES += " MeanSquaredLogarithmicError BinaryCrossentropy CategoricalCrossentropy KLDivergence"
LOSSES += " Hinge SquaredHinge CategoricalHinge LogCosh Huber"
ACTIVATIONS = "elu exponential hard_sigmoid linear relu selu sigmoid softmax softplus softsign"
METRICS = "MeanSquaredError MeanAbsoluteError BinaryAccuracy CategoricalAccuracy AUC Precision"
METRICS += " Recall BinaryCrossentropy CategoricalCrossentropy KLDivergence Poisson LogCoshError"
METRICS += " CosineSimilarity RootMeanSquaredError Hinge TopKCategoricalAccuracy"


def numbers(*shape, low=-3.0, high=3.0):
    """Returns the same numbers for each shape."""
    return np.random.RandomState(0).uniform(low, high, shape).astype("float32")


def told(value):
    """Returns what is written of tensors."""
    found = []
    for one in tf.nest.flatten(value):
        array = tf.cast(one, "float64").numpy()
        shown = [float(number) for number in array.ravel()[:6]]
        found.append([one.dtype.name, list(array.shape), shown, bool(np.isfinite(array).all())])
    return found


def of_layer(layer, given):
    """What a layer of known weights gives, in inference and in training, and its losses."""
    given = tf.constant(given)
    layer(given)
    random = np.random.RandomState(1)
    weights = [
        weight.numpy() if "variance" in weight.name else random.uniform(-0.5, 0.5, weight.shape)
        for weight in layer.weights
    ]
    layer.set_weights(weights)
    types = sorted(weight.dtype.name for weight in layer.weights)
    given = [layer(given), layer(given, training=True) if weights else layer(given), layer.losses]
    return [types, *map(told, given)]


def of_loss(loss):
    """A loss in each reduction, with weights, and its gradient."""
    truth = numbers(64, 8).round() % 2
    predicted = tf.Variable(numbers(64, 8, low=0.001, high=0.999).astype("float16"))
    with tf.GradientTape() as tape:
        value = loss()(truth, predicted)
    values = [loss(reduction=kind)(truth, predicted) for kind in ("none", "sum")]
    weighted = loss()(truth, predicted, numbers(64, low=0.0))
    return told([value, *values, weighted, tape.gradient(value, predicted)])


def of_many_losses():
    """The average of as many losses as float16 cannot count."""
    ones = tf.ones([1 << 16, 1], "float16")
    return told(keras.losses.MeanSquaredError()(ones * 2, ones))


def of_normalization():
    """What a normalization learns of numbers whose squares are beyond float16."""
    layer = preprocessing.Normalization()
    layer.adapt(np.array([[200.0], [400.0]] * 8, "float32"))
    return told([layer(numbers(2, 1)), *layer.weights[:2]])


def of_metric(metric):
    """A metric of float16."""
    metric = metric()
    predicted = numbers(64, 8, low=0.0, high=1.0).astype("float16")
    metric.update_state(numbers(64, 8).round() % 2, predicted)
    return told(metric.result())


def calls():
    """Yields names, and what to call."""
    shapes = ((FLAT, (4, 8)), (ROWS, (2, 6, 8)), (IMAGES, (2, 8, 8, 4)))
    for names, shape in shapes:
        for name in names:
            make = f"layers.{name}"
            yield f"{make} of {len(shape)}", lambda m=make, s=shape: of_layer(eval(m), numbers(*s))
    for name in ("Rescaling(1 / 255.0)", "CenterCrop(4, 4)"):
        yield name, lambda n=name: told(eval(f"preprocessing.{n}")(numbers(2, 8, 8, 4)))
    for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Concatenate"):
        yield name, lambda n=name: told(getattr(layers, n)()([numbers(4, 8), numbers(4, 8) * 2]))
    for name in LOSSES.split():
        yield f"losses.{name}", lambda n=name: of_loss(getattr(keras.losses, n))
    for name in ACTIVATIONS.split():
        for scale in (1, 10000):
            given = tf.constant((numbers(4, 8) * scale).astype("float16"))
            call = getattr(keras.activations, name)
            yield f"activations.{name} of {scale}", lambda c=call, g=given: told(c(g))
    for name in METRICS.split():
        yield f"metrics.{name}", lambda n=name: of_metric(getattr(keras.metrics, n))
    yield "many losses", of_many_losses
    yield "normalization", of_normalization


def main():
    """Prints what the calls give."""
    keras.mixed_precision.experimental.set_policy("mixed_float16")
    found = {}
    for name, call in calls():
        try:
            found[name] = call()
        except Exception as error:
            found[name] = type(error).__name__
            if len(sys.argv) > 1:
                raise
    rows = (f" {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    print("{\n" + ",\n".join(rows) + "\n}")


if __name__ == "__main__":
    main()
