# SPDX-License-Identifier: Apache-2.0
"""Where new imports go: behind others of their package or kind, and else below the imports."""

from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

OLD = "\n\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
USE = f"{OLD}print(collections.Mapping)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # In the place of the import of its package, which goes.
        (
            "import ast\nimport collections\nimport copy\n\nimport tensorflow as tf\n",
            (
                "import ast\nfrom collections.abc import Mapping\nimport copy\n\n"
                "import tensorflow as tf\n"
            ),
        ),
        # Through the module, where that is loaded.
        (
            "import collections.abc\nimport os\n\nimport tensorflow as tf\n",
            "import collections.abc\nimport os\n\nimport tensorflow as tf\n",
        ),
        # Behind others of Python's own.
        (
            "import ast\nimport os\n\nimport numpy as collections\nimport tensorflow as tf\n",
            "import ast\nimport os\n\nimport numpy as collections\nimport tensorflow as tf\n",
        ),
    ],
)
def test_a_module_of_python(before: str, after: str) -> None:
    result = migrate_source(before + USE)
    assert result.problem == ""
    assert result.text.startswith(f"{after}\n\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            (
                "import os\n\nfrom scipy import misc as tf\nfrom scipy.signal import kaiser\n\n"
                "from mine import x\n"
            ),
            (
                "import os\n\nfrom scipy import misc as tf\n"
                "from scipy.signal.windows import kaiser\n\nfrom mine import x\n"
            ),
        )
    ],
)
def test_an_import_that_moves_stays_where_it_is(before: str, after: str) -> None:
    text = "\n\nfrom tensorflow.keras.mixed_precision import {} as prec\n\nprint(kaiser, prec.{})\n"
    result = migrate_source(before + text.format("experimental", "set_policy"))
    assert result.text.startswith(after)


PRIVATE = "from tensorflow.python.keras.engine import base_layer\n"
LAYER = "from tensorflow.keras.layers import Layer\n"
DOC = '"""Layers."""\nfrom __future__ import annotations\n\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            (
                f"{DOC}import os\n\nimport numpy\n{PRIVATE}from tensorflow.python.ops import nn\n\n"
                "from .mine import x\n"
            ),
            (
                f"{DOC}import os\n\nimport numpy\nfrom tensorflow.python.ops import nn\n{LAYER}\n"
                "from .mine import x\n"
            ),
        ),
        (PRIVATE, LAYER),
    ],
)
def test_a_module_of_tensorflow(before: str, after: str) -> None:
    use = (
        "\n\nclass Mine(base_layer.Layer):\n    from tensorflow.keras.mixed_precision import "
        "experimental as prec\n\n    prec.set_policy(name)\n"
    )
    result = migrate_source(f"{before}{use}")
    assert result.problem == ""
    assert result.text.startswith(f"{after}\n\nclass Mine(Layer):")


def test_functions_of_keras_are_read_of_their_module() -> None:
    use = "\n\ndef f(x):\n    prec.{}(x)\n    use(backend.in_eager_mode, losses_mod.{})\n"
    result = migrate_source(
        "from tensorflow.python.keras import backend, losses as losses_mod\n"
        "from tensorflow.keras.mixed_precision import experimental as prec\n"
        f"{use.format('set_policy', 'LossFunctionWrapper')}"
        "    return backend.mean(losses_mod.get(x)(losses_mod.Loss))\n"
    )
    assert result.text == (
        "from tensorflow.python.keras import backend, losses as losses_mod\n"
        "from tensorflow.keras import mixed_precision as prec\n"
        "from tensorflow.keras import losses\n"
        "from tensorflow.keras.losses import Loss\n"
        f"{use.format('set_global_policy', 'LossFunctionWrapper')}"
        "    return backend.mean(losses.get(x)(Loss))\n"
    )
    messages = {one.message for one in result.records if one.is_finding}
    assert "it would be imported as backend, which the file has already" in messages


def test_what_comes_from_the_future_stands_by_itself() -> None:
    body = (
        "class A(base_layer.Layer):\n    from tensorflow.keras.mixed_precision import {} as prec\n"
    )
    future = "from __future__ import annotations\n"
    private = "    from tensorflow.python.keras.engine import base_layer\n"
    old = f"{future}\n\ndef f():\n{private}    return base_layer.Layer, prec()\n"
    text = migrate_source(f"{old}\n\n{body.format('experimental')}").text
    assert text.startswith(f"{future}\nfrom tensorflow.keras.layers import Layer\n\n\ndef f")


def test_a_function_goes_below_all_imports() -> None:
    source = (
        "import os\nimport tensorflow as tf\nimport mine\n\n"
        "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, mine.scale)\n"
    )
    text = migrate_source(source).text
    assert text.startswith(
        "import os\nimport tensorflow as tf\nimport mine\n\n\ndef _loss_scale_arguments"
    )


@pytest.mark.parametrize("head", ["def run():\n", "async def run():\n", "class Run:\n"])
@pytest.mark.parametrize("decorators", ["@timed\n", "@timed\n@named('run')\n"])
@pytest.mark.parametrize("above", ["", "# Trains.\n"])
@pytest.mark.parametrize(
    ("target", "added"),
    [("tf-keras", "def _loss_scale_arguments"), ("compat", "import compat_lossscale")],
)
def test_decorators_stay_with_the_definition_that_the_file_begins_with(
    above: str, decorators: str, head: str, target: str, added: str
) -> None:
    lines = "    import tensorflow as tf\n    opt = tf.keras.mixed_precision.{}(opt, scale)\n"
    old = lines.format("experimental.LossScaleOptimizer")
    result = migrate_source(f"{above}{decorators}{head}{old}", target=target)
    assert result.problem == ""
    before, behind = result.text.split(added, 1)
    assert before.strip() == above.strip()
    assert f"\n{decorators}{head}" in behind
