# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods.running import migrate_files
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options

from tests.codemods.checks import check_review, check_transformed, reviews
from tests.codemods.projects import write

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('float32')\n"
PREPROCESSING = "layers.experimental.preprocessing"
IMPORTED = "from tensorflow.keras.layers.experimental import preprocessing\n"
LAYER = "class Mine(tf.keras.layers.Layer):\n    def build(self, shape):\n        "
METRIC = "class Mine(tf.keras.metrics.Metric):\n    "
GAME = "class Game:\n    def reset_states(self):\n        pass\n"
SUM = "tf.VariableAggregation.SUM"
LOOP = (
    "class Loop:\n    def __init__(self):\n        self.loss = tf.keras.metrics.Mean()\n"
    "    def run(self):\n"
)
MODULE = "class Mine(tf.Module):\n    def __init__(self):\n        "
BELOW = "class Mine(Base):\n    def __init__(self):\n        self.layer = "
HEADS = "class Mine(tf.keras.layers.MultiHeadAttention):\n    def _compute_attention"
ATTENTION = "self, query, key, value, attention_mask=None, training=None"
NET = "class Net(tf.keras.Model):\n    pass\n"
MODEL = "class Mine(tf.keras.Model):\n    def train_step(self, data):\n        "
SHOWN = "{m.name: m.result() for m in self.metrics}"
OWN_METRICS = "\n\n    @property\n    def metrics(self):\n        return [self.loss_tracker]"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tf.keras.backend.set_learning_phase(1)", "no backend.set_learning_phase"),
        ("from tensorflow.keras.layers import LocallyConnected1D", "no layers.LocallyConnected1D"),
        ("from keras.preprocessing.text import Tokenizer", "in tf.keras alone"),
        ("print(tf.keras.backend.ndim(x))", "takes no symbolic tensor"),
        ("tf.keras.backend.set_value(weight, 1)", "takes no variable"),
        ("model = tf.keras.Sequential(layers)\nmodel.fit_generator(f)", "have no fit_generator"),
        (f"{LAYER}self.add_update(f)", "have no add_update"),
        (f"{MODEL}self.own = self._get_optimizer(opt)", "have no _get_optimizer"),
        ("tf.compat.v1.keras.layers.CuDNNLSTM(4)", "no layers.CuDNNLSTM. Use keras.layers.LSTM"),
        ("from tensorflow.compat.v1.keras.layers import CuDNNGRU", "no layers.CuDNNGRU"),
        (f"tf.keras.{PREPROCESSING}.PreprocessingLayer()", "no layers.experimental"),
        (f"{IMPORTED}preprocessing.PreprocessingLayer()", "no layers.experimental"),
        ("tf.keras.layers.experimental.SyncBatchNormalization()", "(synchronized=True)"),
        ("tf.keras.layers.experimental.RandomFourierFeatures(8)", "has no successor"),
        ("model = tf.keras.experimental.LinearModel()", "Use keras.optimizers.schedules"),
        ("import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'", "`tf.keras` is tf-keras and not"),
        ("load = tf.keras.saving.load_model", "tf.keras of Keras 3 has no saving"),
        ("from keras.layers.normalization import BatchNormalization", "no keras.layers.norm"),
        ("from keras.utils import data_utils\nprint(data_utils.own)", "no keras.utils.data_utils"),
        ("import keras\nprint(keras.engine.data_adapter)", "no keras.engine"),
        ("def restart(metric):\n    metric.reset_states()", "that this is one is not proven"),
        (
            f"{GAME}for metric in metrics:\n    metric.reset_states()",
            "that this is one is not proven",
        ),
        ("tf.keras.Sequential(layers).reset_states()", "have no reset_states"),
        ("print(dict(zip(model.metrics_names, model.evaluate(x, y))))", "has `compile_metrics`"),
        ("tf.keras.callbacks.experimental.BackupAndRestore('b')", "has BackupAndRestore itself"),
        ("def restart(model):\n    model.reset_states()", "have no reset_states"),
        (f"{METRIC}def reset_states(self):\n        pass", "calls `reset_state` of a metric"),
        (f"{HEADS}({ATTENTION}):\n        pass", "a further argument, `return_attention_scores`"),
        (
            f"{METRIC}def __init__(self):\n        self.add_weight('w', (), {SUM})",
            "takes the shape first",
        ),
        (f"{MODULE}self.layer = tf.keras.layers.Dense(4)", "layers of Keras 3 are no tf.Module"),
        (f"{MODULE}self.layers = [tf.keras.Sequential()]", "layers of Keras 3 are no tf.Module"),
        (f"{MODULE}self.layer = self.make(tf.keras.layers.Dense, 4)", "are no tf.Module"),
        (f"{NET}{MODULE}self.net = Net()", "layers of Keras 3 are no tf.Module"),
        (f"class Base(tf.Module):\n    pass\n{BELOW}tf.keras.layers.Dense(4)", "are no tf.Module"),
        (f"{LAYER}self.w = tf.Variable(1.0)", "no tf.Variable among their variables"),
        (f"{LAYER}self.all = [tf.Variable(1.0) for _ in shape]", "no tf.Variable among"),
        (f"{MODEL}self.w = self.v = tf.Variable(1.0)", "no tf.Variable among"),
        (f"{LAYER}self.add_metric(x, name='a')", "have no add_metric"),
        (f"{LAYER}self.w = self.add_weight(*args)", "takes the shape first"),
        (f"{MODEL}return {{'loss': 1.0}}", "which this step does not set"),
        (f"{MODEL}return {SHOWN}", "which this step does not set"),
        ("h = tf.compat.v1.layers.dense(x, 4)", "layers of TensorFlow 1"),
        ("cell = tf.compat.v1.nn.rnn_cell.LSTMCell(4)", "layers of TensorFlow 1"),
        (
            "opt = tf.keras.optimizers.SGD(0.1)\nwith tf.Graph().as_default():\n    pass",
            "does not run in graphs",
        ),
    ],
)
def test_what_is_gone_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.keras.losses.mean_squared_error(y, x)", "tf.keras.losses.MSE(y, x)"),
        ("tf.keras.metrics.kl_divergence(y, x)", "tf.keras.metrics.KLD(y, x)"),
        (
            "from tensorflow.keras.losses import log_cosh",
            "from tensorflow.keras.losses import logcosh as log_cosh",
        ),
        (
            "from tensorflow.keras.losses import log_cosh as f",
            "from tensorflow.keras.losses import logcosh as f",
        ),
        (
            "tf.keras.experimental.CosineDecay(1, 8)",
            "tf.keras.optimizers.schedules.CosineDecay(1, 8)",
        ),
        (
            "from keras.layers.core import Dense\nDense(1)",
            "from keras.layers import Dense\nDense(1)",
        ),
        (
            "from keras.utils import np_utils\nnp_utils.to_categorical(y)",
            "from keras.utils import to_categorical\nto_categorical(y)",
        ),
        ("import keras\nkeras.engine.Layer()", "import keras\nkeras.layers.Layer()"),
        (
            "from keras import backend as K\nprint(K.get_value(x), K.epsilon())",
            "from tensorflow.keras import backend as K\nprint(K.get_value(x), K.epsilon())",
        ),
        ("from keras.losses import mse", "from tensorflow.keras.losses import mse"),
        (
            "from tensorflow.python.keras.utils import data_utils\ndata_utils.get_file(a, b)",
            "tf.keras.utils.get_file(a, b)",
        ),
        (
            "import keras\nprint(keras.losses.mae, keras.losses.Reduction.AUTO)",
            "print(tf.keras.losses.mae, 'sum_over_batch_size')",
        ),
    ],
)
def test_what_tf_keras_has_under_a_short_name_alone_is_respelled(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n", target="keras3")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"tf.keras.{PREPROCESSING}.RandomFlip()", "tf.keras.layers.RandomFlip()"),
        (
            f"from tensorflow.keras.{PREPROCESSING} import Rescaling as R, Resizing\nR(2.0)",
            "from tensorflow.keras.layers import Rescaling as R, Resizing\nR(2.0)",
        ),
        (
            f"{IMPORTED}preprocessing.Rescaling(2.0)",
            "from tensorflow.keras import layers as preprocessing\npreprocessing.Rescaling(2.0)",
        ),
        (
            f"from keras.{PREPROCESSING} import TextVectorization\nTextVectorization()",
            "from keras.layers import TextVectorization\nTextVectorization()",
        ),
    ],
)
def test_layers_of_preprocessing_are_taken_from_layers(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n", target="keras3")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss = tf.keras.metrics.Mean()\nloss.reset_states()", "loss.reset_state()"),
        (
            f"{METRIC}def reset_state(self):\n        pass\nown = Mine()\nown.reset_states()",
            "own.reset_state()",
        ),
        (f"{LOOP}        self.loss.reset_states()", "self.loss.reset_state()"),
    ],
)
def test_what_metrics_have_under_another_name_is_respelled(before: str, after: str) -> None:
    *head, last = before.split("\n")
    indent = last[: len(last) - len(last.lstrip())]
    check_transformed(
        f"{OLD}{before}\n", NEW + "\n".join([*head, f"{indent}{after}"]) + "\n", target="keras3"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("add_weight('w', shape=shape)", "add_weight(name='w', shape=shape)"),
        ("add_variable('w', (2))", "add_weight(name='w', shape=(2,))"),
        ("add_variable(name='w')", "add_weight(name='w')"),
        (
            "add_weight(f'w{i}', [2], tf.int32, 'ones')",
            "add_weight(name=f'w{i}', shape=[2], dtype=tf.int32, initializer='ones')",
        ),
        (
            "add_weight(name='w', experimental_autocast=False)",
            "add_weight(name='w', autocast=False)",
        ),
    ],
)
def test_arguments_of_weights_are_named(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}{LAYER}self.w = self.{before}\n",
        f"{NEW}{LAYER}self.w = self.{after}\n",
        target="keras3",
    )


def test_the_count_of_a_metric_is_named() -> None:
    line = (
        f"{METRIC}def __init__(self):\n        super().__init__()\n        self.n = self.add_weight"
    )
    check_transformed(f"{OLD}{line}('n')\n", f"{NEW}{line}(name='n')\n", target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        "print(tf.keras.layers.Dense(1))",
        "layer = tf.keras.layers.LSTM(4, stateful=True)\nlayer.reset_states()",
        f"{GAME}first_of(games).reset_states()",
        f"{METRIC}def reset_state(self):\n        super().reset_state()",
        f"{GAME}Game().reset_states()",
        "import keras\nprint(keras.losses.mean_squared_error, keras.saving)",
        "from keras.metrics import mean_absolute_error",
        "from keras import backend as K\nprint(K.epsilon())",
        "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '0'",
        "try:\n    import keras\nexcept ImportError:\n    from tensorflow.keras import saving",
        f"{MODULE}self.weight = tf.Variable(1.0)",
        "class Net(tf.keras.Model):\n    def __init__(self):\n        tf.keras.layers.Dense(4)",
        "with tf.Graph().as_default():\n    pass",
        f"{MODEL}return {{'error': 1.0}}",
        f"{MODEL}return {{'loss': self.loss_tracker.result()}}{OWN_METRICS}",
        f"{MODEL}return {SHOWN}{OWN_METRICS}",
        f"class Mine(tf.keras.Model):\n    def show(self):\n        return {SHOWN}",
        f"{LAYER}self.w = self.add_weight(name='w', shape=shape)",
        f"{LAYER}self.w = self.kept(tf.Variable(1.0))",
        f"{LAYER}weight = tf.Variable(1.0)",
        "class Step:\n    def __init__(self):\n        self.count = tf.Variable(0)",
        "print(mine.backend.set_learning_phase(1))",
        "from utils import hvd_utils\nfrom utils.tf_utils import count",
        f"{HEADS}({ATTENTION}, return_attention_scores=False):\n        pass",
        f"{HEADS}(self, *arguments):\n        pass",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")


def test_branches_for_old_versions_stay() -> None:
    test = "tuple(map(int, tf.__version__.split('.')[:2])) < (2, 4)"
    line = f"if {test}:\n    tf.keras.backend.set_learning_phase(1)\n"
    check_transformed(OLD + line, NEW + line, target="keras3")


def test_files_without_an_old_name_are_looked_at_too(tmp_path: Path) -> None:
    files = {
        "tools.py": OLD + "class Module(tf.Module):\n    pass\n",
        "models.py": "from tensorflow.keras import layers\nimport tools\n"
        "class Encoder(tools.Module):\n    def __init__(self):\n"
        "        self.layer = layers.Dense(4)\n",
        "gan.py": "import tensorflow as tf\nclass Gan(tf.keras.Model):\n"
        "    def compile(self, one):\n        self.one = self._get_optimizer(one)\n",
        "layer.py": f"import tensorflow as tf\n{LAYER}self.w = self.add_weight('w', shape)\n",
        "main.py": "import gan, layer, models, tools\nmodels.Encoder()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    report = migrate_files.run([tmp_path], Options(target=Target.KERAS3), jobs=1)
    found = {
        (file.path.name, record.line, record.name)
        for file in report.files
        for record in file.result.records
        if record.rule == "LS911"
    }
    assert found == {
        ("models.py", 3, "Encoder"),
        ("gan.py", 4, "self._get_optimizer"),
        ("layer.py", 4, "self.add_weight"),
    }


def test_a_module_of_the_private_copy_is_reported_once() -> None:
    lines = "from tensorflow.python.keras.saving import hdf5_format\nhdf5_format.load_weights(f)\n"
    check_review(OLD + lines, NEW + lines, "LS902", target="keras3")


def test_what_another_rule_says_more_of_is_reported_once() -> None:
    line = "rate = tf.keras.experimental.NoisyLinearCosineDecay(0.1, 8)\n"
    check_review(OLD + line, NEW + line, "LS902", target="keras3")


@pytest.mark.parametrize(("name", "is_found"), [("agent", False), ("one_metric", True)])
def test_a_class_of_another_file_has_a_method_of_the_name(
    tmp_path: Path, name: str, is_found: bool
) -> None:
    train = f"{OLD}from agents import Agent\n\ndef run({name}):\n    {name}.reset_states()\n"
    agents = "class Agent:\n    def reset_states(self):\n        pass\n"
    write(tmp_path, {"train.py": train, "agents.py": agents})
    report = migrate_files.run([tmp_path], Options(target=Target.KERAS3), jobs=1)
    found = [text for one in report.files for text in reviews(one.result)]
    assert any("`reset_state`" in text for text in found) is is_found
