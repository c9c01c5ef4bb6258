# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_review, check_transformed

OLD = (
    "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    "model = tf.keras.Sequential(layers)\nopt = tf.keras.optimizers.SGD(0.1)\n"
)
NEW = OLD.replace("experimental.set_policy", "set_global_policy")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("model.save('model')", "as `.keras` and `.h5` alone"),
        ("model.save('model.h5')", "loads no loss-scale optimizer"),
        ("model.save('model.keras', save_format='tf')", "as `.keras` and `.h5` alone"),
        ("model.save_weights('weights')", "as `.weights.h5` alone"),
        ("model.load_weights(path)", "from the `.h5` files of Keras 2"),
        ("path = 'a'\nmodel.save_weights(path)", "as `.weights.h5` alone"),
        ("self.model.save_weights('weights')", "that this is one is not proven"),
        ("def save(net_model):\n    net_model.save('model')", "that this is one is not proven"),
        ("new = tf.keras.models.load_model('model')", "loads no SavedModel"),
        ("tf.train.Checkpoint(opt=opt).restore(path)", "are not restored"),
        ("tf.train.Checkpoint(model=model).restore(path)", "are not restored"),
        ("print(tf.train.list_variables(path))", "under other names"),
        ("callback = tf.keras.callbacks.ModelCheckpoint('x')", "the callback saves models"),
    ],
)
def test_files_of_other_forms_are_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message, target="keras3")


@pytest.mark.parametrize(
    "line",
    [
        "model.save('model.keras')",
        "model.save(f'{folder}/model.keras')",
        "model.save(folder + '/model.keras')",
        "model.save_weights('a.weights.h5')",
        "model.load_weights(os.path.join(folder, 'a.weights.h5'))",
        "model.load_weights('old.h5')",
        "path = folder + '/a.weights.h5'\nmodel.save_weights(path)",
        "model.save_weights('a-{}.weights.h5'.format(epoch))",
        "new = tf.keras.models.load_model('model.keras')",
        "tf.train.Checkpoint(step=tf.Variable(1)).restore(path)",
        "image.save('image')",
    ],
)
def test_what_stays_right(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n", target="keras3")
