# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib

import pytest
import tensorflow as tf
from lossscale_codemods import Outcome, migrate_source
from lossscale_codemods.rules.neighbours import TensorFlow
from lossscale_codemods.tables import frameworks

from compat_lossscale.neighbour_names import TABLE
from compat_lossscale.neighbour_names.neighbour import Neighbour
from tests.codemods.checks import check_review, check_transformed, program, reviews

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
PRIVATE = "tensorflow.python.keras"
# Optimizers and loss scaling's own names are other rules' business.
ELSEWHERE = {"LS101", "LS502", "LS603"}


@pytest.mark.parametrize("neighbour", TABLE, ids=lambda one: one.name)
def test_every_name_of_the_table_is_respelled_or_reported(neighbour: Neighbour) -> None:
    name = neighbour.module_or_name
    if not TensorFlow().is_mine(name):
        return
    for text in (
        f"import {name} as it\nuse(it)",
        f"from {neighbour.place} import {neighbour.short_name} as it\nuse(it.something)",
        f"use({name.replace('tensorflow', 'tf', 1)}.something)",
    ):
        result = migrate_source(f"{OLD}{text}\n")
        assert result.problem == ""
        found = [one for one in result.records if one.rule == "LS902"]
        assert found, text
        for one in found:
            assert one.outcome is Outcome.REWRITTEN or one.advice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"from {PRIVATE} import backend as K\nx = K.floatx(), K.mean(y)",
            "from tensorflow.keras import backend as K\nx = K.floatx(), K.mean(y)",
        ),
        (
            (
                f"from {PRIVATE}.mixed_precision import loss_scale_optimizer as lso, policy\n"
                "x = lso.LossScaleOptimizer(opt), policy.global_policy()"
            ),
            (
                "x = tf.keras.mixed_precision.LossScaleOptimizer(opt), "
                "tf.keras.mixed_precision.global_policy()"
            ),
        ),
        (
            f"import {PRIVATE}.backend as K\nx = K.mean",
            "import tensorflow.keras.backend as K\nx = K.mean",
        ),
        (
            "from tensorflow.python import keras\nx = keras.layers.Dense(1), keras.Model",
            "from tensorflow import keras\nx = keras.layers.Dense(1), keras.Model",
        ),
        (
            f"from {PRIVATE}.engine.training import Model\nx = Model",
            "from tensorflow.keras import Model\nx = Model",
        ),
        (
            f"from {PRIVATE}.engine import base_layer\nclass A(base_layer.Layer): pass",
            "class A(tf.keras.layers.Layer): pass",
        ),
        (
            f"from {PRIVATE}.layers import Dense, core\nx = Dense, core.Dropout",
            "from tensorflow.keras.layers import Dense\nx = Dense, tf.keras.layers.Dropout",
        ),
        (
            f"from {PRIVATE}.utils.data_utils import Sequence\nx = Sequence",
            "from tensorflow.keras.utils import Sequence\nx = Sequence",
        ),
        ("x = tf.python.keras.layers.Dense(1)", "x = tf.keras.layers.Dense(1)"),
        # Public in compat.v1 alone, and under another name.
        (
            f"from {PRIVATE} import backend as K\nx = K.get_session()",
            "x = tf.compat.v1.keras.backend.get_session()",
        ),
        (
            f"from {PRIVATE}.utils import losses_utils\nx = losses_utils.ReductionV2.SUM",
            "x = tf.keras.losses.Reduction.SUM",
        ),
        (
            "from tensorflow.python.training.tracking import base\nx = base.Trackable",
            "from tensorflow.python.trackable import base\nx = base.Trackable",
        ),
        (
            "from tensorflow.python.training.tracking.base import Trackable\nx = Trackable",
            "from tensorflow.python.trackable.base import Trackable\nx = Trackable",
        ),
    ],
)
def test_a_name_with_a_successor_is_respelled(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")


@pytest.mark.parametrize(
    "imported",
    [f"{PRIVATE}.models import Sequential", f"{PRIVATE}.engine.sequential import Sequential"],
)
def test_models_of_private_modules_are_models(imported: str) -> None:
    result = migrate_source(f"{OLD}from {imported}\nmodel = Sequential()\nmodel.compile('adam')\n")
    assert result.problem == ""
    assert "model.compile(tf.keras.optimizers.legacy.Adam())" in result.text


def test_what_is_migrated_to_compat_gets_the_same_names() -> None:
    text = f"from {PRIVATE}.layers import core\n{OLD}x = core.Dense(1)\n"
    result = migrate_source(text, target="compat")
    assert result.text.endswith("\nx = tf.keras.layers.Dense(1)\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # What has no public name stays, and with it the import.
        (
            f"from {PRIVATE} import backend as K\nx = K.mean, K.in_eager_mode",
            f"from {PRIVATE} import backend as K\nx = tf.keras.backend.mean, K.in_eager_mode",
        ),
        (f"from {PRIVATE} import layers\nuse(layers)",) * 2,
        (f"from {PRIVATE}.layers import *\nuse(Dense)",) * 2,
        # It was the class of TensorFlow 1.
        (f"from {PRIVATE}.layers.normalization import BatchNormalization\nuse(BatchNormalization)",)
        * 2,
        (f"from {PRIVATE}.utils import tf_utils\nuse(tf_utils.map_structure_with_atomic)",) * 2,
        ("from tensorflow.python.training.tracking import tracking\nuse(tracking.AutoTrackable)",)
        * 2,
        ("use(tf.estimator.Estimator)",) * 2,
        ("use(tf.compat.v1.estimator.Estimator)",) * 2,
        ("from tensorflow.contrib import slim\nuse(slim.x, slim.y)",) * 2,
        ("import tensorflow.contrib.slim\n",) * 2,
        ("use(tf.contrib.slim.x)",) * 2,
    ],
)
def test_what_has_no_successor_is_reported_once(before: str, after: str) -> None:
    result = check_review(f"{OLD}{before}\n", f"{NEW}{after}\n", "LS902")
    assert len([one for one in result.records if one.outcome is Outcome.NEEDS_REVIEW]) == 1


@pytest.mark.parametrize(
    "lines",
    [
        "from tensorflow.python.keras.mixed_precision.experimental import policy",
        "use(tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager))",
        "from tensorflow.python.ops import math_ops",
        "if tf.__version__ < '2':\n    use(tf.contrib.slim)",
        "try:\n    import tensorflow.contrib as c\nexcept ImportError:\n    c = None",
        "if hasattr(tf, 'contrib'):\n    use(tf.contrib.slim)",
        "use(tf.keras.Model.compute_loss)",
    ],
)
def test_what_others_decide_or_nothing_fails_at_is_left_to_them(lines: str) -> None:
    assert "LS902" not in {one.rule for one in migrate_source(f"{OLD}{lines}\n").records}


TRACKED = "from tensorflow.python.training.tracking import base"
TRACKABLE = "from tensorflow.python.trackable import base"


@pytest.mark.parametrize(
    "lines",
    [
        # What only older versions come to, and what either of two imports gives.
        (
            "if tuple(map(int, tf.__version__.split('.')[:2])) >= (2, 10):\n"
            f"    {TRACKABLE}\nelse:\n    {TRACKED}"
        ),
        (
            "from packaging.version import parse\nif parse(tf.__version__) < parse('2.9'):\n"
            f"    {TRACKED}\nelse:\n    {TRACKABLE}"
        ),
        f"try:\n    {TRACKABLE}\nexcept:\n    {TRACKED}",
        f"if tf.__version__ >'1':\n    {TRACKABLE}\nelse:\n    from tensorflow.contrib import base",
    ],
)
def test_a_name_is_what_it_is_on_the_versions_of_today(lines: str) -> None:
    check_transformed(
        f"{OLD}{lines}\nuse(base.Trackable)\n", f"{NEW}{lines}\nuse(base.Trackable)\n"
    )


def test_what_is_public_in_tf_keras_alone_is_reported_for_keras_3() -> None:
    text = f"from {PRIVATE} import backend as K\n{OLD}x = K.get_session()\n"
    result = migrate_source(text, target="keras3")
    assert "x = K.get_session()" in result.text
    assert any(one.name == "K.get_session" and one.advice for one in result.records)


def test_what_serves_it_is_imported_where_it_is_gone() -> None:
    lines = (
        "from tensorflow.python.eager import tape\nif not hasattr(tape, 'stop_recording'):\n"
        "    from tensorflow.python.eager import record as tape\nuse(tape.stop_recording)\n"
    )
    check_transformed(OLD + lines, NEW + lines)


def test_an_attribute_that_keeps_it_is_the_program_s_own() -> None:
    lines = (
        f"from {PRIVATE} import backend as K\n\n\nclass Kept:\n    def __init__(self):\n"
        "        self.flag = K._MANUAL_VAR_INIT\n\n    def use(self):\n"
        "        return self.flag\n"
    )
    result = check_review(OLD + lines, NEW + lines, "LS902")
    [found] = [one for one in result.records if one.outcome is Outcome.NEEDS_REVIEW]
    assert found.name == "K._MANUAL_VAR_INIT"


def test_what_stands_in_for_it_today_is_respelled() -> None:
    lines = "if tf.__version__ >= '1.4':\n    from {} import backend as K\nelse:\n"
    lines += "    from tensorflow.contrib.keras import backend as K\nuse(K.mean)\n"
    check_transformed(OLD + lines.format(PRIVATE), NEW + lines.format("tensorflow.keras"))


@pytest.mark.parametrize("error", ["ImportError", "Exception", "AttributeError"])
def test_the_private_copy_is_there_so_that_no_handler_gets_to_know(error: str) -> None:
    lines = "try:\n    from {} import layers\nexcept %s:\n    layers = None\nuse(layers.Dense)\n"
    check_transformed(
        OLD + (lines % error).format(PRIVATE), NEW + (lines % error).format("tensorflow.keras")
    )
    lines = "try:\n    from tensorflow.keras import layers\nexcept %s:\n"
    lines += f"    from {PRIVATE} import layers\nuse(layers.Dense)\n"
    check_transformed(OLD + lines % error, NEW + lines % error)


def test_an_import_is_respelled_beside_one_for_older_versions() -> None:
    lines = "if tuple(map(int, tf.__version__.split('.')[:2])) < (2, 4):\n"
    lines += f"    from {PRIVATE}.mixed_precision.experimental.loss_scale_optimizer import (\n"
    lines += "        LossScaleOptimizer\n    )\nelse:\n    from {} import LossScaleOptimizer\n"
    lines += "use(isinstance(opt, LossScaleOptimizer))\n"
    check_review(
        OLD + lines.format(f"{PRIVATE}.mixed_precision.loss_scale_optimizer"),
        NEW + lines.format("tensorflow.keras.mixed_precision"),
        "the branch for old versions",
    )


def test_functions_of_the_private_copy_that_work_as_they_did_stay() -> None:
    module = "tensorflow.python.keras.utils"
    used = f"""
        from {module} import conv_utils
        from {module}.generic_utils import to_list
        print(conv_utils.convert_data_format("channels_last", 4), to_list(1))
    """
    source = program(OLD + program(used))
    check_transformed(source, source.replace(OLD.strip(), NEW.strip()))
    for name in ("conv_utils.normalize_kernel", "tf_utils.smart_cond"):
        gone = f"{OLD}from {module} import {name.partition('.')[0]}\nprint({name})\n"
        assert any("LS902" in text for text in reviews(migrate_source(gone)))


def test_the_functions_that_stay_are_there() -> None:
    for path in (
        "conv_utils.convert_data_format",
        "conv_utils.normalize_tuple",
        "generic_utils.to_list",
        "io_utils.path_to_string",
        "tf_utils.convert_shapes",
    ):
        module, _, name = path.partition(".")
        home = importlib.import_module(f"tensorflow.python.keras.utils.{module}")
        assert callable(getattr(home, name))


@pytest.mark.parametrize(
    ("imports", "before", "after"),
    [
        (f"{PRIVATE} import backend", "backend._get_session = mine", "backend._get_session = mine"),
        (
            "tensorflow.python import keras",
            "keras.backend.GraphExecutionFunction = mine",
            "keras.backend.GraphExecutionFunction = mine",
        ),
        (
            "tensorflow.python.ops import control_flow_ops as ops",
            "ops.while_loop = mine(ops.while_loop)",
            "ops.while_loop = mine(tf.compat.v1.while_loop)",
        ),
    ],
)
def test_what_is_replaced_in_a_private_module_is_reported(
    imports: str, before: str, after: str
) -> None:
    before, after = (f"from {imports}\n{line}\n" for line in (before, after))
    check_review(OLD + before, NEW + after, "it is replaced here")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"from {PRIVATE}.engine import training\ntraining.Model.compile = mine",
            "tf.keras.Model.compile = mine",
        ),
        (
            "from tensorflow.python.ops import math_ops\nmath_ops.equal = mine",
            "from tensorflow.python.ops import math_ops\nmath_ops.equal = mine",
        ),
    ],
)
def test_what_is_replaced_where_it_is_today_is_not_reported(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")


@pytest.mark.parametrize("name", frameworks.ONLY_IN_TF1)
def test_the_names_of_tensorflow_1_are_in_compat_v1_alone(name: str) -> None:
    assert not hasattr(tf, name)
    assert hasattr(tf.compat.v1, name)


def test_a_program_of_tensorflow_1_is_reported_once() -> None:
    source = (
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32)\n"
        "opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, 128)\n"
        "with tf.Session() as session:\n"
        "    session.run(tf.global_variables_initializer())\n"
    )
    (found,) = [one for one in migrate_source(source).records if one.rule == "LS902"]
    assert (found.line, found.name) == (2, "tf.placeholder")
    assert "disable_v2_behavior" in found.advice


@pytest.mark.parametrize(
    "source",
    [
        "import tensorflow.compat.v1 as tf\n{old}x = tf.placeholder(tf.float32)\n",
        "import tensorflow as tf\n{old}x = tf.compat.v1.placeholder(tf.float32)\n",
        "import tensorflow as tf\n{old}x = tf.keras.layers.Dense(1)\n",
        "import tensorflow as tf\n{old}if hasattr(tf, 'Session'):\n    s = tf.Session()\n",
        "import tensorflow as tf\n{old}if tf.__version__ < '2':\n    s = tf.Session()\n",
        "import tensorflow as tf\n{old}try:\n    tf.Session()\nexcept AttributeError:\n    s = 0\n",
    ],
)
def test_what_other_versions_come_to_is_no_program_of_tensorflow_1(source: str) -> None:
    old = "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
    assert not [one for one in reviews(migrate_source(source.format(old=old))) if "LS902" in one]


def test_a_member_of_contrib_is_reported_as_one() -> None:
    (found,) = [
        one
        for one in migrate_source(f"{OLD}x = tf.contrib.layers.layer_norm(x)\n").records
        if one.rule == "LS902"
    ]
    assert "ended with TensorFlow 1.15" in found.message
