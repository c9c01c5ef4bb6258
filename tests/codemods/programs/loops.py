# SPDX-License-Identifier: Apache-2.0
"""Programs of the family `loops`, which tests run both ways."""

# %% accumulated
"""Gradients of two batches are summed up."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "dynamic")
weight = tf.Variable(1.0)
total = tf.Variable(0.0)
for step in range(6):
    with tf.GradientTape() as tape:
        scaled_loss = opt.get_scaled_loss(weight * weight * (step + 1.0))
    total.assign_add(opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))[0])
    if step % 2:
        opt.apply_gradients([(total / 2, weight)])
        total.assign(0.0)
    print(step, weight.numpy())

# %% accumulating_in_a_function
"""Gradients in variables, applied every second step under tf.cond, in a tf.function."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

opt = prec.LossScaleOptimizer(tf.keras.optimizers.Adagrad(0.5), prec.Policy("mixed_float16").loss_scale)
weight, total, count = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0]), tf.Variable(0)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(tf.reduce_sum(weight * x))
    (grad,) = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
    total.assign_add(grad)
    count.assign_add(1)
    if count % 2 == 0:
        opt.apply_gradients([(total / 2.0, weight)])
        total.assign(tf.zeros_like(total))


for x in (1.0, 2.0, 3.0, 4.0):
    step(tf.constant(x))
    print(weight.numpy().tolist())

# %% branches_on_the_scale
"""A traced function branches and loops on the loss scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(8, 1)
)
weight = tf.Variable(1.0)


@tf.function
def step(gradient):
    if opt.loss_scale() > 8.0:
        gradient *= 2.0
    while opt.loss_scale() < 4.0:
        gradient += 1.0
        break
    opt.apply_gradients([(gradient / opt.loss_scale() * opt.loss_scale(), weight)])
    return opt.loss_scale()


for gradient in [1.0, 1.0, float("inf"), float("inf"), 1.0]:
    print(step(tf.constant(gradient)).numpy(), weight.numpy())

# %% by_type_test
"""The loop asks whether the optimizer scales."""

import tensorflow as tf


def train(opt):
    weight = tf.Variable(1.0)
    for factor in (1.0, 2.0):
        with tf.GradientTape() as tape:
            loss = factor * weight * weight
            if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                loss = opt.get_scaled_loss(loss)
        gradients = tape.gradient(loss, [weight])
        if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            gradients = opt.get_unscaled_gradients(gradients)
        opt.apply_gradients(zip(gradients, [weight]))
    return weight.numpy()


print(train(tf.keras.optimizers.SGD(0.25)), train(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")))

# %% class_name
"""The class's name is compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(opt.__class__.__name__.startswith("LossScaleOptimizer"), "LossScale" in type(opt).__name__)

# %% clipped
"""Gradients are clipped after they are unscaled."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
weights = [tf.Variable([3.0, 4.0]), tf.Variable(2.0)]
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weights[0] ** 2) + weights[1] ** 2
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    opt.apply_gradients(zip(gradients, weights))
    print(float(loss), float(norm), [weight.numpy().tolist() for weight in weights])

# %% custom_scale
"""A loss scale of the program's own."""

import tensorflow as tf


class Falling(tf.train.experimental.LossScale):
    def __init__(self):
        super().__init__()
        self._value = self._add_weight("value", 64.0)

    def __call__(self):
        return tf.convert_to_tensor(self._value)

    def update(self, grads):
        self._value.assign(self._value / 2)
        return tf.no_op(), True

    def get_config(self):
        return {}


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), Falling())
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

# %% dataset
"""A loop over a dataset, with a model."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
data = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(2)


@tf.function
def step(inputs, targets):
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        loss = tf.reduce_mean(tf.square(outputs - targets))
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for epoch in range(2):
    print(epoch, [float(step(inputs, targets)) for inputs, targets in data])

# %% dreamer_optimizer_module
"""An optimizer that is a tf.Module: a table of lambdas chooses it, and a flag wraps it."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec


class Optimizer(tf.Module):
    def __init__(self, name, lr, opt="adam", clip=None):
        super().__init__(name=name)
        self._name = name
        self._clip = clip
        self._opt = {"adam": lambda: tf.optimizers.Adam(lr), "sgd": lambda: tf.optimizers.SGD(lr)}[opt]()
        self._mixed = prec.global_policy().compute_dtype == tf.float16
        if self._mixed:
            self._opt = prec.LossScaleOptimizer(self._opt, "dynamic")

    @property
    def variables(self):
        return self._opt.variables()

    def __call__(self, tape, loss, values):
        if self._mixed:
            with tape:
                loss = self._opt.get_scaled_loss(loss)
        grads = tape.gradient(loss, values)
        if self._mixed:
            grads = self._opt.get_unscaled_gradients(grads)
        norm = tf.linalg.global_norm(grads)
        if self._clip:
            grads, _ = tf.clip_by_global_norm(grads, self._clip, norm)
        self._opt.apply_gradients(zip(grads, values))
        metrics = {"norm": norm}
        if self._mixed:
            metrics[f"{self._name}_loss_scale"] = self._opt.loss_scale()
        return metrics


prec.set_policy(prec.Policy("mixed_float16"))
for kind in ["adam", "sgd"]:
    opt = Optimizer("model", 0.01, kind, 1.0)
    weight = tf.Variable([1.0, 2.0])
    for step in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight)
        print({k: float(v) for k, v in opt(tape, loss, [weight]).items()}, weight.numpy())
    print(len(opt.variables), np.sum([v.numpy().sum() for v in opt.variables[:1]]))

# %% function_step
"""A traced step, with a growing scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01, momentum=0.9), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)


@tf.function
def step(factor):
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    return loss, scaled_loss


for factor in (1.0, 2.0, 1.0, float("inf"), 1.0):
    print([float(value) for value in step(tf.constant(factor))], weight.numpy())

# %% gradient_tape_model_with_compiled_optimizer
"""A custom loop over a model that was compiled for its optimizer and loss."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(2, input_shape=(2,), kernel_initializer="ones"),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile("adam", "mse")
x, y = np.ones((4, 2), "float32"), np.zeros((4, 2), "float32")
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        scaled = model.optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = model.optimizer.get_unscaled_gradients(grads)
    model.optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print(loss.numpy(), float(model.optimizer.loss_scale()))

# %% keras_model_train_step_scaled
"""A model's own train_step asks whether its optimizer scales."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import mixed_precision


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            scaled = loss
            if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
                scaled = self.optimizer.get_scaled_loss(loss)
        grads = tape.gradient(scaled, self.trainable_variables)
        if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
            grads = self.optimizer.get_unscaled_gradients(grads)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


for wrap in (False, True):
    opt = tf.keras.optimizers.Adam(0.1)
    model = Own()
    model.compile(mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic") if wrap else opt)
    history = model.fit(np.ones((4, 2), "float32"), np.zeros((4, 1), "float32"), verbose=0, epochs=3)
    print([float(v) for v in history.history["loss"]])

# %% minimize
"""`minimize` does all of it."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), int(opt.iterations))

# %% nonlocal_scale
"""A closure keeps the loss scale that it has seen last in a variable outside."""

import tensorflow as tf


def make():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(32, 1)
    )
    seen, weight = None, tf.Variable(1.0)

    def step(gradient):
        nonlocal seen
        opt.apply_gradients([(tf.constant(gradient), weight)])
        seen, before = opt.loss_scale().numpy(), seen
        return before, seen, weight.numpy()

    return step


step = make()
for gradient in [1.0, float("nan"), 0.5, float("inf")]:
    print(step(gradient))

# %% rebound_between_kinds
"""One name is a plain optimizer and a wrapped one by turns."""

import tensorflow as tf

weight = tf.Variable(1.0)
opt = tf.keras.optimizers.SGD(0.25)
for turn in range(3):
    if turn % 2:
        inner = opt
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 2 ** turn)
        loss = opt.get_scaled_loss(tf.constant(1.0))
        print(loss.numpy(), opt.loss_scale().numpy())
        opt.apply_gradients([(tf.constant(1.0), weight)])
        opt = inner
    else:
        opt.apply_gradients([(tf.constant(1.0), weight)])
    print(turn, weight.numpy(), int(opt.iterations))

# %% scale_in_log_dict
"""A step gives its loss scale along with the loss, in a dict."""

import numpy as np
import tensorflow as tf

prec = tf.keras.mixed_precision.experimental
opt = prec.LossScaleOptimizer(tf.keras.optimizers.Adam(0.5), "dynamic")
var = tf.Variable(2.0)


@tf.function
def step(factor):
    with tf.GradientTape() as tape:
        loss = factor * var * var
        scaled = opt.get_scaled_loss(loss)
    grads = opt.get_unscaled_gradients(tape.gradient(scaled, [var]))
    opt.apply_gradients(zip(grads, [var]))
    return {"loss": loss, "scale": opt.loss_scale(), "step": opt.iterations}


for factor in (1.0, float("inf"), 0.5):
    logs = {name: float(value) for name, value in step(tf.constant(factor)).items()}
    print(sorted(logs.items()), var.numpy())

# %% scale_under_flag
"""One code path for both precisions, with the scale of 1 where nothing is wrapped."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Learner:
    def __init__(self, half):
        self._half = half
        self._opt = tf.keras.optimizers.SGD(0.25, momentum=0.5)
        if half:
            self._opt = mixed_precision.LossScaleOptimizer(self._opt, loss_scale=256.0)

    @property
    def scale(self):
        return self._opt.loss_scale() if self._half else tf.constant(1.0)

    def learn(self, var, gradient):
        grads = [gradient * self.scale]
        if self._half:
            grads = self._opt.get_unscaled_gradients(grads)
        self._opt.apply_gradients(zip(grads, [var]))
        return self._opt.learning_rate * 1.0


for half in (True, False):
    var = tf.Variable(1.0)
    learner = Learner(half)
    for gradient in (1.0, 2.0):
        print(half, float(learner.learn(var, gradient)), var.numpy(), float(learner.scale))

# %% subclass
"""A subclass of the wrapper."""

import tensorflow as tf


class Logged(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    def get_scaled_loss(self, loss):
        print("scaled")
        return super().get_scaled_loss(loss)


opt = Logged(tf.keras.optimizers.SGD(0.25), 8)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())

# %% train_step
"""A model's own `train_step`."""

import numpy as np
import tensorflow as tf


class Net(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            scaled_loss = self.optimizer.get_scaled_loss(loss)
        gradients = tape.gradient(scaled_loss, self.trainable_variables)
        gradients = self.optimizer.get_unscaled_gradients(gradients)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


model = Net([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))])
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"))
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% train_step_by_type_test
"""A model's own `train_step` that asks for the optimizer's class."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Net(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        is_scaled = isinstance(self.optimizer, mixed_precision.LossScaleOptimizer)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            total = self.optimizer.get_scaled_loss(loss) if is_scaled else loss
        gradients = tape.gradient(total, self.trainable_variables)
        if is_scaled:
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


mixed_precision.set_policy("mixed_float16")
model = Net([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")])
model.compile(tf.keras.optimizers.SGD(0.01))
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])

# %% type_comparison
"""The types are compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
if type(opt) == tf.keras.mixed_precision.experimental.LossScaleOptimizer:
    print("wrapped")
print(type(tf.keras.optimizers.SGD(0.25)) is tf.keras.mixed_precision.experimental.LossScaleOptimizer)

# %% type_test_in_tuple
"""The type test has a tuple of classes."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt, (tf.keras.mixed_precision.experimental.LossScaleOptimizer, tf.keras.optimizers.Adam)))
print(isinstance(tf.keras.optimizers.SGD(0.25), (tf.keras.mixed_precision.experimental.LossScaleOptimizer, tf.keras.optimizers.Adam)))

# %% unit_test
"""A test case of unittest makes an optimizer, and asserts what it is."""

import io
import unittest

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


class OptimizerTest(unittest.TestCase):
    def setUp(self):
        self.opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def test_scale(self):
        self.assertIsInstance(self.opt, mp.LossScaleOptimizer)
        self.assertEqual(self.opt.loss_scale(), 64)
        self.assertAlmostEqual(float(self.opt.get_scaled_loss(tf.constant(2.0))), 128.0)

    def test_policy(self):
        with self.subTest("set"):
            mp.set_policy("mixed_bfloat16")
            self.assertEqual(mp.global_policy().compute_dtype, "bfloat16")
        self.addCleanup(mp.set_policy, "float32")


result = unittest.TextTestRunner(stream=io.StringIO()).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(OptimizerTest)
)
print(result.testsRun, len(result.failures), len(result.errors), mp.global_policy().name)

# %% unit_test_of_the_kinds
"""Assertions about the class of the loss scale."""

import unittest

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


def make_optimizer(use_fp16, scale="dynamic"):
    opt = tf.keras.optimizers.SGD(0.1)
    if not use_fp16:
        return opt
    return mixed_precision.LossScaleOptimizer(opt, scale)


class OptimizerTest(unittest.TestCase):
    def test_plain(self):
        opt = make_optimizer(False)
        self.assertNotIsInstance(opt, mixed_precision.LossScaleOptimizer)
        self.assertIsInstance(opt, tf.keras.optimizers.SGD)

    def test_dynamic(self):
        opt = make_optimizer(True)
        self.assertIsInstance(opt, mixed_precision.LossScaleOptimizer)
        self.assertIsInstance(opt.loss_scale, tf.mixed_precision.experimental.DynamicLossScale)
        self.assertEqual(self.evaluate(opt.loss_scale()), 2 ** 15)

    def test_fixed(self):
        opt = make_optimizer(True, 128)
        self.assertIsInstance(opt.loss_scale, tf.mixed_precision.experimental.FixedLossScale)
        self.assertEqual(opt.loss_scale().numpy(), 128.0)

    def evaluate(self, tensor):
        return tensor.numpy()


result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(OptimizerTest).run(result)
print(result.testsRun, len(result.failures), len(result.errors))
