# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source
from lossscale_codemods.tables.names import Target

from tests.codemods.checks import check_noop, check_transformed

OLD = "import tensorflow as tf\nimport numpy as np\nfrom tensorflow.keras import layers\n"
OLD += "tf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = OLD.replace("experimental.set_policy", "set_global_policy")
BRANCH = "if tf.reduce_max(x) > 1: pass"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("layers.Dense(np.prod(s))", "layers.Dense(int(np.prod(s)))"),
        ("layers.Dense(units=n / 2)", "layers.Dense(units=int(n / 2))"),
        ("layers.LSTM(tf.constant(3), True)", "layers.LSTM(int(tf.constant(3)), True)"),
        ("layers.Embedding(np.max(x), 4 / 2)", "layers.Embedding(int(np.max(x)), int(4 / 2))"),
        ("layers.Dense(tf.shape(x)[1])", "layers.Dense(int(tf.shape(x)[1]))"),
        ("layers.AveragePooling2D()", "layers.AveragePooling2D(pool_size=2)"),
        ("layers.AvgPool1D(name='a')", "layers.AvgPool1D(name='a', pool_size=2)"),
        ("layers.Input(shape=(3))", "layers.Input(shape=(3,))"),
        ("tf.keras.Input(3, name='a')", "tf.keras.Input((3,), name='a')"),
        ("self.add_weight(name='w', shape=(3))", "self.add_weight(name='w', shape=(3,))"),
        ("self.add_weight(shape=(int(n)))", "self.add_weight(shape=(int(n),))"),
        ("self.add_weight(shape=input_shape[-1])", "self.add_weight(shape=(input_shape[-1],))"),
        ("conv.kernel.get_shape()", "tf.TensorShape(conv.kernel.shape)"),
        ("net.weights[0].shape.as_list()", "tf.TensorShape(net.weights[0].shape).as_list()"),
    ],
)
def test_layers_get_the_sizes_that_keras_3_takes(before: str, after: str) -> None:
    check_transformed(f"{OLD}a = {before}\n", f"{NEW}a = {after}\n", target=Target.KERAS3)


@pytest.mark.parametrize(
    "line",
    [
        "a = layers.Dense(n)",
        "a = layers.Dense(n // 2)",
        "a = layers.Dense(x.shape[1])",
        "n = 4\na = layers.Dense(n)",
        "a = layers.Conv2D(np.prod(s), 3)",
        "a = layers.Dropout(1 / 2)",
        "a = layers.AveragePooling2D(3)",
        "a = self.add_weight(shape=input_shape[1:])",
        "a = layers.Input(input_shape[0])",
        "a = layers.AveragePooling2D(**options)",
        "a = layers.ConvLSTM2D(3, 3, recurrent_activation='sigmoid')",
        "a = layer.add_loss(loss)",
        "a = tf.reduce_mean(x)",
        "a = layers.Flatten()(x)\na = tf.reduce_mean(a)",
        "a = tf.one_hot(labels, 3)",
        "a = cell.get_initial_state(batch_size=4)",
        "a = tf.keras.layers.Reshape((4,))(layers.Input((2, 2)))",
        "a = f(x, True)",
        "a = f(x, name='a/b')",
        "a = tf.keras.utils.to_categorical(y)\nm.fit(x, a)",
        "def f(x):\n    if tf.reduce_max(x) > 1:\n        pass",
        f"class A(layers.Layer):\n    @tf.function\n    def call(self, x):\n        {BRANCH}",
        "class A(layers.Layer):\n    def call(self, x):\n        if tf.executing_eagerly(): pass",
        "a = tf.Variable(x, name='a/b')",
        "def move(to, of):\n    pass\nmove(a.variables, b.variables)",
        "@tf.function\ndef move(to, of):\n    pass\nmove(a, b)",
        "a = layers.Input(shape=s)",
        "a = layers.Input(())",
        "s = (4,)\na = layers.Input(s)",
        "a = x.get_shape().as_list()",
        "a = net.weights[0].shape[0]",
    ],
)
def test_what_keras_3_takes_stays(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target=Target.KERAS3)


def test_sizes_that_a_name_holds_are_converted() -> None:
    lines = "n = tf.shape(x)[1]\na = layers.Embedding({}, 4)\n"
    before, after = OLD + lines.format("n"), NEW + lines.format("int(n)")
    check_transformed(before, after, target=Target.KERAS3)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'sgd', 'logcosh'", "'sgd', 'log_cosh'"),
        ("loss={'logcosh': ['huber_loss']}", "loss={'logcosh': ['huber']}"),
        ("loss='kullback_leibler_divergence'", "loss='kl_divergence'"),
        ("'logcosh', loss='mse'", "'logcosh', loss='mse'"),
        ("metrics='accuracy'", "metrics=['accuracy']"),
        ("weighted_metrics=('mae')", "weighted_metrics=[('mae')]"),
        ("metrics=tf.keras.metrics.AUC(50)", "metrics=[tf.keras.metrics.AUC(50)]"),
        ("metrics=metrics, loss_weights='x'", "metrics=metrics, loss_weights='x'"),
        ("metrics=mine()", "metrics=mine()"),
    ],
)
def test_losses_get_other_names_and_a_single_metric_a_list(before: str, after: str) -> None:
    given = (f"{head}m.compile({text})\n" for head, text in ((OLD, before), (NEW, after)))
    check_transformed(*given, target=Target.KERAS3)


@pytest.mark.parametrize(
    ("before", "after"),
    [("'a/b'", "'a_b'"), ("f'{n}/a/{b}'", "f'{n}_a_{b}'"), ("n + '/a'", "n + '_a'")],
)
def test_slashes_in_names_have_an_unsafe_fix(before: str, after: str) -> None:
    pairs = (OLD, before), (NEW, after)
    given = (f"{head}a = layers.Dense(4, name={text})\n" for head, text in pairs)
    check_transformed(*given, target=Target.KERAS3, unsafe_fixes=True)
    given = (f"{head}n = {text}\na = layers.Dense(4, name=n)\n" for head, text in pairs)
    check_transformed(*given, target=Target.KERAS3, unsafe_fixes=True)


MASK = (
    "class Attend(layers.Layer):\n    def call(self, inputs, mask=None):\n        {}\n"
    "        return query if mask is None else query * tf.cast(mask, query.dtype)\n"
)


@pytest.mark.parametrize("inputs", ["query, key = inputs", "query = inputs[0]"])
def test_a_mask_of_several_inputs_that_is_taken_for_one_is_reported(inputs: str) -> None:
    (message,) = reported(OLD + MASK.format(inputs))
    assert "`[None, None]` if none has one" in message
    assert not reported(OLD + MASK.format(f"{inputs}; mask = mask and mask[0]"))
    assert not reported(OLD + MASK.format("query = inputs[:, 0]"))


@pytest.mark.parametrize("use", ["with tf.GradientTape() as tape:\n    pass", "data.map(mix)"])
def test_classes_stay_float32_where_tensorflow_computes_with_them(use: str) -> None:
    lines = f"y = tf.keras.utils.to_categorical(y, 3){{}}\n{use}\n"
    before, after = OLD + lines.format(""), NEW + lines.format('.astype("float32")')
    check_transformed(before, after, target=Target.KERAS3)


INPUT = "x = layers.Input((4,))\nh = layers.Dense(4)(x)\n"
OWN_CALL = (
    "class Net(tf.keras.Model):\n    def show(self):\n        x = tf.keras.Input((4,))\n"
    "        tf.keras.Model(x, self.call([x])).summary()\n"
)
MOVED = "def move(to, of):\n    to[0].assign(of[0])\n"
BUILT = "def built(x):\n    x = layers.Dense(4)(x)\n"
LOSS = "def loss(labels, logits):\n    return tf.gather(logits, labels)\nm.compile('sgd', loss)\n"
OWN_KERNEL = "class Own({}):\n    def build(self, shape):\n        self.kernel = make(shape)\n"
STEP = (
    "class Net(tf.keras.Model):\n    def train_step(self, data):\n"
    "        return self.compiled_loss(*data)\n"
)
BLOCK = (
    "class Net(layers.Layer):\n    def __init__(self):\n        super().__init__()\n"
    "        self.block, self.blocks = make(), [make()]\n"
    "    def scaled(self, x, training): return x\n"
    "    def call(self, x, training, mask):\n        return {}\n"
)
PARTS = (
    "class Net(tf.keras.Model):\n    def train_step(self, data):\n        return {{'a': {}}}\n"
    "m.save_weights('a.weights.h5')\n"
)
WEIGHT = "class Own(tf.keras.metrics.Metric):\n    def __init__(self):\n        self.add_weight("
MADE = "class Own({}):\n    def __init__(self):\n        super().__init__({})\n"
GRAPH = "@tf.function\ndef rate(epoch):\n    return tf.cos(epoch)\n"
RATE = "rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 9, 0.9)\n"
MIXED = "p = 'mixed_float16'\nm = layers.Dense(9)\nk = "
TOP_K = "tf.keras.metrics.SparseTopKCategoricalAccuracy(5)\n"
NOT_BUILT = "s = tf.keras.Sequential([layers.Dense(4)])\nstrategy.run(step, args=(data,))\n"
SEVERAL = "m = tf.keras.Model(i, [a, b])\nm.compile('sgd', ['mse', 'mae'], metrics={})\n"
CROSS = "tf.keras.metrics.BinaryCrossentropy"
SHARED = "opt = tf.keras.optimizers.SGD(0.1)\n"
TWICE = f"{SHARED}a.compile(opt)\nb.compile(optimizer=opt)\n"


def test_a_metric_that_takes_no_float16_is_reported_where_no_layer_may_give_float32() -> None:
    start = OLD.replace("'float32'", "p")
    (message,) = (one for one in reported(f"{start}{MIXED}{TOP_K}") if "float16" in one)
    assert "the metric of Keras 3 takes no float16" in message
    lines = f"{start}{MIXED}{TOP_K}m = layers.Dense(9, dtype='float32')\n"
    assert not any("takes no float16" in one for one in reported(lines))
    for dtype in ("'float32'", "np.float32"):  # Data in float32 make no layer give it.
        lines = f"{start}{MIXED}{TOP_K}x = data.astype({dtype}) / 255\n"
        assert any("takes no float16" in one for one in reported(lines))


def test_a_weight_of_an_own_layer_is_its_own() -> None:
    assert not reported(OLD + OWN_KERNEL.format("layers.Layer"))
    assert not reported(f"{OLD}svm.kernel = 'rbf'\nlayer.kernel.assign(w)\n")


def test_a_model_that_is_built_before_a_strategy_runs_it_is_not_reported() -> None:
    for line in ("s.build((None, 4))\n", "m = layers.Dense(4, input_shape=(4,))\n"):
        assert not reported(f"{OLD}{NOT_BUILT}{line}")


def test_functions_that_get_what_others_make_of_an_input_are_reported_as_well() -> None:
    text = f"{OLD}{INPUT}y = tf.cast(tf.nn.relu(h), tf.float32)\nz = tf.abs(y)\n"
    result = migrate_source(text, target="keras3")
    assert {one.name for one in result.records if one.rule == "LS911"} == {
        "tf.abs", "tf.cast", "tf.nn.relu",
    }  # fmt: skip
    made = "m = tf.keras.Model(x, h)\nz = tf.abs(m.get_weights()[0]) + tf.abs(m(tf.ones([2, 4])))\n"
    assert not reported(f"{OLD}{INPUT}{made}")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (f"{INPUT}y = tf.nn.relu(x)\n", "takes no input of a model"),
        (f"{INPUT}y = tf.concat([h, h], 1)\n", "takes no input of a model"),
        (f"{BUILT}    return tf.reshape(x, [-1])\n", "takes no input of a model"),
        (f"{INPUT}{BUILT}    return x\ny = tf.squeeze(built(x))\n", "takes no input of a model"),
        (OWN_CALL, "`call` gets inputs of a model here"),
        ("a = layers.Dense(4, name='a/b')\n", "have no `/`"),
        ("a = layers.Dense(4, name='a/{}'.format(n))\n", "have no `/`"),
        ("class Net(tf.keras.Model):\n    pass\nNet(name=f'a/{b}')\n", "have no `/`"),
        (TWICE, "trains one model"),
        (f"{SHARED}for m in (a, b):\n    m.compile(opt)\n", "trains one model"),
        (f"{SHARED}for n in (1, 2):\n    m = build(n)\n    m.compile(opt)\n", "trains one model"),
        (NOT_BUILT, "makes no variables in a tf.function"),
        (f"@tf.function\n{MOVED}move(a.variables, b.variables)\n", "tensors of the variables"),
        (f"@tf.function(autograph=False)\n{MOVED}move(a.weights, b)\n", "tensors of the variables"),
        (f"{RATE}c = tf.keras.callbacks.LearningRateScheduler(rate)\n", "wants a float"),
        (f"{GRAPH}c = tf.keras.callbacks.LearningRateScheduler(rate)\n", "wants a float"),
        ("s = cell.get_initial_state(None, 4, tf.float32)\n", "the batch size alone"),
        ("m.compile('sgd', 'mse', target_tensors=[t])\n", "no target_tensors"),
        ("m.compile('sgd', experimental_run_tf_function=False)\n", "experimental_run_tf_function"),
        (SEVERAL.format("['mse', 'acc']"), "a list of metrics for each output"),
        (f"k = ['mse']\n{SEVERAL.format('k')}", "a list of metrics for each output"),
        ("m.compile('sgd', 'mse', metrics=['binary_crossentropy'])\n", "takes no labels with an"),
        (f"m.compile('sgd', metrics=[{CROSS}()])\n", "takes no labels with an"),
        ("m.fit(data, workers=4)\n", "no workers"),
        ("m.train_on_batch(x, y, reset_metrics=False)\n", "no reset_metrics"),
        ("c = tf.keras.callbacks.ModelCheckpoint('a.keras', period=1)\n", "no period"),
        ("a = layers.GRU(3, batch_input_shape=(4, 5, 6))\n", "no batch_input_shape"),
        ("a = layers.ConvLSTM2D(3, 3)\n", "is another function"),
        ("a = layers.LSTM(3, recurrent_activation='hard_sigmoid')\n", "is another function"),
        ("a = layers.Activation('hard_sigmoid')\n", "is another function"),
        (f"{INPUT}m = tf.keras.Model(x, h)\nm.add_loss(f)\n", "in its `call` alone"),
        (f"{WEIGHT}*args)\n", "takes the shape first"),
        (f"{WEIGHT}name='w', aggregation=tf.VariableAggregation.SUM)\n", "no aggregation"),
        (f"{WEIGHT}name='w', synchronization=s)\n", "no synchronization"),
        ("m.layers[0].kernel = w\n", "`kernel` of layers of Keras 3 cannot be set"),
        (BLOCK.format("0\n        self.layer.kernel = x"), "`kernel` of layers of Keras 3"),
        (OWN_KERNEL.format("layers.Conv2D"), "`kernel` of layers of Keras 3 cannot be set"),
        (LOSS, "are no integers"),
        (STEP, "adds the losses of layers"),
        (BLOCK.format("self.block(x, training)"), "tensors alone by position"),
        (BLOCK.format("self.blocks[0](x, False, mask)"), "tensors alone by position"),
        (
            BLOCK.format("0")
            + "        for i, one in enumerate(self.blocks):\n            x = one(x, training)\n",
            "tensors alone by position",
        ),
        (f"{INPUT}m = tf.keras.Model(x, h)\nm(data, True)\n", "tensors alone by position"),
        (f"{BLOCK.format('x')}n = Net()\nn(data, False, None)\n", "alone by position"),
        (f"{BLOCK.format('x')}Net()(data, True)\n", "tensors alone by position"),
        (BLOCK.format("0\n        if tf.reduce_max(x) > 1: pass"), "no graph of the branches"),
        (BLOCK.format("tf.logical_and(training, self.trainable)"), "Python's bool"),
        (MADE.format("tf.keras.Model", "self"), "nothing by position"),
        (PARTS.format("self.part(data)"), "calls its parts alone"),
    ],
)
def test_what_stops_is_reported(lines: str, words: str) -> None:
    (message,) = reported(OLD + lines)
    assert words in message


@pytest.mark.parametrize(
    "line", ["self.block(x, training=True)", "self.scaled(x, training)", "self.loss_of(x, True)"]
)
def test_training_by_its_name_and_own_methods_are_taken(line: str) -> None:
    assert reported(OLD + BLOCK.format(line)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x, training", "x, training=None"),
        ("x, training: bool, n=1", "x, training: bool = None, n=1"),
    ],
)
def test_call_gets_a_default_for_training(before: str, after: str) -> None:
    call = "class Net(layers.Layer):\n    def call(self, {}):\n        return x\n"
    check_transformed(OLD + call.format(before), NEW + call.format(after), target=Target.KERAS3)


@pytest.mark.parametrize("given", ["x, training, mask", "x, training=False", "x"])
def test_call_that_has_a_default_or_cannot_have_one_stays(given: str) -> None:
    call = f"class Net(layers.Layer):\n    def call(self, {given}):\n        return x\n"
    check_transformed(OLD + call, NEW + call, target=Target.KERAS3)


SCHEDULE = (
    "class Warm(tf.keras.optimizers.schedules.LearningRateSchedule):\n"
    "    def __call__(self, step):{}tf.math.rsqrt(step) + self.decay(step)\n"
)
CAST = "step = tf.cast(step, tf.float32)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n        return ", f"\n        {CAST}\n        return "),
        ("\n        'Doc.'\n        return ", f"\n        'Doc.'\n        {CAST}\n        return "),
        (" return ", f" {CAST}; return "),
    ],
)
def test_schedules_get_their_step_as_a_float(before: str, after: str) -> None:
    old, new = OLD + SCHEDULE.format(before), NEW + SCHEDULE.format(after)
    check_transformed(old, new, target=Target.KERAS3)
    check_transformed(new, new, target=Target.KERAS3)


@pytest.mark.parametrize("body", ["tf.cast(step, tf.float32)", "self.decay(step)", "step * 2"])
def test_schedules_that_take_integers_stay(body: str) -> None:
    schedule = SCHEDULE[: SCHEDULE.index("{}")] + f"\n        return {body}\n"
    check_transformed(OLD + schedule, NEW + schedule, target=Target.KERAS3)


def reported(source: str) -> list[str]:
    result = migrate_source(source, target=Target.KERAS3)
    assert result.problem == ""
    return [one.message for one in result.records if one.rule == "LS911"]


def test_other_targets_and_other_programs_are_left() -> None:
    lines = f"{INPUT}y = tf.nn.relu(x)\n"
    check_transformed(f"{OLD}{lines}", f"{NEW}{lines}")
    check_noop(
        f"import tensorflow as tf\nfrom tensorflow.keras import layers\n{lines}",
        target=Target.KERAS3,
    )


@pytest.mark.parametrize(
    "lines",
    [
        TWICE.replace("b.compile", "a.compile"),
        TWICE.replace("b.compile", "opt = tf.keras.optimizers.SGD(0.2)\nb.compile"),
        STEP.replace("*data", "*data, regularization_losses=self.losses"),
        LOSS.replace("logits, labels", "logits, [0]"),
        "import horovod.tensorflow as hvd\nhvd.init()\n",
        MADE.format("tf.keras.Model", ""),
        PARTS.format("self(data)"),
        PARTS.format("self.part(data)").replace("save_weights", "summary"),
        PARTS.format("self.part(data)") + "m.build((None, 3))\n",
        MADE.format("dict", "self"),
        BLOCK.format("0\n        if tf.reduce_max(x).numpy() > 1: pass"),
    ],
)
def test_what_is_alike_and_runs_is_not_reported(lines: str) -> None:
    assert reported(OLD + lines) == []
