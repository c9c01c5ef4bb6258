# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt = tf.keras.optimizers.Adam(1e-3)", "opt = tf.keras.optimizers.legacy.Adam(1e-3)"),
        ("opt = tf.optimizers.SGD(0.1)", "opt = tf.optimizers.legacy.SGD(0.1)"),
        (
            "opt = tf.compat.v2.keras.optimizers.SGD(0.1)",
            "opt = tf.compat.v2.keras.optimizers.legacy.SGD(0.1)",
        ),
        ("make = tf.keras.optimizers.SGD", "make = tf.keras.optimizers.legacy.SGD"),
        (
            "class Mine(tf.keras.optimizers.Optimizer): pass",
            "class Mine(tf.keras.optimizers.legacy.Optimizer): pass",
        ),
        (
            "ok = isinstance(x, (tf.Module, tf.keras.optimizers.Adam))",
            "ok = isinstance(x, (tf.Module, tf.keras.optimizers.legacy.Adam))",
        ),
        (
            "def f(x: 'tf.keras.optimizers.Optimizer') -> tf.keras.optimizers.SGD: ...",
            "def f(x: 'tf.keras.optimizers.Optimizer') -> tf.keras.optimizers.legacy.SGD: ...",
        ),
        (
            "KINDS = {'adam': tf.keras.optimizers.Adam, 'sgd': tf.keras.optimizers.SGD}",
            (
                "KINDS = {'adam': tf.keras.optimizers.legacy.Adam, "
                "'sgd': tf.keras.optimizers.legacy.SGD}"
            ),
        ),
        (
            "opt = tf.keras.optimizers.Adam.from_config(config)",
            "opt = tf.keras.optimizers.legacy.Adam.from_config(config)",
        ),
        (
            "opt = getattr(tf.keras.optimizers, 'Nadam')()",
            "opt = tf.keras.optimizers.legacy.Nadam()",
        ),
        (
            "opt = getattr(getattr(tf.keras, 'optimizers'), 'Nadam')()",
            "opt = tf.keras.optimizers.legacy.Nadam()",
        ),
        (
            "keras = tf.keras\nopts = keras.optimizers\nopt = opts.Ftrl()",
            "keras = tf.keras\nopts = keras.optimizers\nopt = opts.legacy.Ftrl()",
        ),
        (
            "opt = (\n    tf.keras.optimizers  # ours\n    .Adam()\n)",
            "# ours\nopt = (\n    tf.keras.optimizers.legacy.Adam()\n)",
        ),
    ],
)
def test_a_class_in_every_use(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.keras.optimizers import Adam",
            "from tensorflow.keras.optimizers.legacy import Adam",
        ),
        (
            "from tensorflow.keras.optimizers import Adam as A, SGD",
            "from tensorflow.keras.optimizers.legacy import Adam as A, SGD",
        ),
        (
            "from tensorflow.keras.optimizers import Adam, schedules",
            (
                "from tensorflow.keras.optimizers import schedules\n"
                "from tensorflow.keras.optimizers.legacy import Adam"
            ),
        ),
        (
            (
                "try:\n    from tensorflow.keras.optimizers import Adam\n"
                "except ImportError:\n    from keras.optimizers import Adam"
            ),
            (
                "try:\n    from tensorflow.keras.optimizers.legacy import Adam\n"
                "except ImportError:\n    from keras.optimizers import Adam"
            ),
        ),
        (
            "def f():\n    from tensorflow.keras.optimizers import Adam\n    return Adam()",
            "def f():\n    from tensorflow.keras.optimizers.legacy import Adam\n    return Adam()",
        ),
    ],
)
def test_imports(before: str, after: str) -> None:
    check_transformed(f"{OLD}{before}\n", f"{NEW}{after}\n")


def test_a_star_import() -> None:
    star = "from tensorflow.keras.optimizers import *\n"
    legacy = "from tensorflow.keras.optimizers.legacy import *\n"
    check_transformed(f"{OLD}{star}opt = SGD()\n", f"{NEW}{star}{legacy}opt = SGD()\n")
    check_transformed(f"{OLD}{star}{legacy}opt = SGD()\n", f"{NEW}{star}{legacy}opt = SGD()\n")
    rewrite = "tf.train.experimental.enable_mixed_precision_graph_rewrite"
    result = migrate_source(f"{star}import tensorflow as tf\nopt = {rewrite}(SGD())\n")
    assert "opt = tf.keras.mixed_precision.LossScaleOptimizer(SGD())\n" in result.text


def test_an_imported_module() -> None:
    check_transformed(
        f"{OLD}from tensorflow.keras import optimizers as o\nopt = o.Adam(o.schedules.Decay())\n",
        f"{NEW}from tensorflow.keras import optimizers as o\n"
        "opt = o.legacy.Adam(o.schedules.Decay())\n",
    )
    check_transformed(
        f"{OLD}import tensorflow.keras.optimizers as o\nopt = o.Adam()\n",
        f"{NEW}import tensorflow.keras.optimizers as o\nopt = o.legacy.Adam()\n",
    )


@pytest.mark.parametrize(
    "line",
    [
        "opt = tf.keras.optimizers.legacy.Adam()",
        "opt = tf.keras.optimizers.experimental.Adam()",
        "opt = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 100, 0.9)",
        "opt = tf.keras.optimizers.AdamW()",
        "opt = tf.compat.v1.keras.optimizers.Adam()",
        "import tf_keras\nopt = tf_keras.optimizers.Adam()",
        "import my_addons as tfa\nopt = tfa.optimizers.LAMB()",
        "from mylib import optimizers\nopt = optimizers.Adam()",
        (
            "try:\n    from tensorflow.keras.optimizers.legacy import Adam\n"
            "except ImportError:\n    from tensorflow.keras.optimizers import Adam"
        ),
        "opts = tf.keras.optimizers\nopts = getattr(opts, 'legacy', opts)\nopt = opts.Adam()",
        "opts = tf.keras.optimizers.legacy if x else tf.keras.optimizers\nopt = opts.Adam()",
        "opt = tf.keras.optimizers.legacy.SGD() if x else tf.keras.optimizers.SGD()",
        (
            "if x:\n    opt = tf.keras.optimizers.legacy.SGD()\nelse:\n"
            "    opt = tf.keras.optimizers.SGD()"
        ),
    ],
)
def test_other_classes_stay(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n")


def test_a_block_that_imports_both_families_stays() -> None:
    check_transformed(
        """
        import tensorflow as tf
        from tensorflow.keras.optimizers.legacy import Optimizer as Old
        from tensorflow.keras.optimizers import Optimizer as New
        tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        print(Old, New)
        """,
        """
        import tensorflow as tf
        from tensorflow.keras.optimizers.legacy import Optimizer as Old
        from tensorflow.keras.optimizers import Optimizer as New
        tf.keras.mixed_precision.set_global_policy("mixed_float16")
        print(Old, New)
        """,
    )


def test_a_branch_for_old_versions_stays() -> None:
    check_review(
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            opt = tf.keras.optimizers.SGD()
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        else:
            opt = tf.keras.optimizers.SGD()
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        print(tf.keras.mixed_precision.experimental.global_policy().name)
        """,
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            opt = tf.keras.optimizers.SGD()
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        else:
            opt = tf.keras.optimizers.legacy.SGD()
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        print(tf.keras.mixed_precision.global_policy().name)
        """,
        "can be collapsed",
    )


def test_a_program_with_old_names_for_older_versions_alone_is_one_of_today() -> None:
    check_review(
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        else:
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        opt = tf.keras.optimizers.SGD()
        """,
        """
        import tensorflow as tf
        if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):
            tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
        else:
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        opt = tf.keras.optimizers.SGD()
        """,
        "can be collapsed",
    )


def test_a_program_that_only_asks_for_the_old_names() -> None:
    check_review(
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.SGD()
        if hasattr(tf.keras.mixed_precision, "experimental"):
            configure()
        """,
        """
        import tensorflow as tf
        opt = tf.keras.optimizers.legacy.SGD()
        if hasattr(tf.keras.mixed_precision, "experimental"):
            configure()
        """,
        "looks for an old name",
    )


def test_a_program_without_old_names_is_left() -> None:
    check_noop(
        "import tensorflow as tf\n"
        "opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())\n"
        "ok = type(opt).__name__ == 'SGD'\n"
    )


def test_a_module_that_can_be_another_is_reported() -> None:
    check_review(
        f"{OLD}opts = tf.keras.optimizers if x else other\nopt = opts.SGD()\n",
        f"{NEW}opts = tf.keras.optimizers if x else other\nopt = opts.SGD()\n",
        "on other ways through the program",
    )


def test_it_can_be_suppressed() -> None:
    text = "opt = tf.keras.optimizers.SGD()  # compat-lossscale: ignore[LS211]\n"
    check_transformed(OLD + text, NEW + text)
    text = "from tensorflow.keras.optimizers import SGD  # compat-lossscale: ignore\n"
    check_transformed(OLD + text, NEW + text)
    text = "from tensorflow.keras.optimizers import SGD\nopt = tf.keras.optimizers.Adam()\n"
    assert migrate_source(OLD + text, ignore=("LS211",)).text == NEW + text


def test_an_import_that_cannot_be_taken_apart_is_reported() -> None:
    check_review(
        f"{OLD}x = 1; from tensorflow.keras.optimizers import SGD, schedules\n",
        f"{NEW}x = 1; from tensorflow.keras.optimizers import SGD, schedules\n",
        "has to become two",
    )


@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_new_optimizers_leave_the_names(target: str) -> None:
    text = "opt = tf.keras.optimizers.SGD()\n"
    result = migrate_source(OLD + text, target=target, legacy_optimizers=False)
    assert result.text.endswith(text)


def test_the_other_target() -> None:
    result = migrate_source(
        f"{OLD}from tensorflow.keras.optimizers import SGD\nopt = tf.keras.optimizers.Adam()\n",
        target="compat",
    )
    assert result.text.endswith(
        "from tensorflow.keras.optimizers.legacy import SGD\n"
        "opt = tf.keras.optimizers.legacy.Adam()\n"
    )


def test_a_class_that_was_left_in_a_comment_of_the_old_api_is_none() -> None:
    check_left("# mixed_precision.experimental\nimport tensorflow as tf\ntf.optimizers.SGD()\n")


@pytest.mark.parametrize("scaling", ["set_global_policy('mixed_float16')", "LossScaleOptimizer(o)"])
@pytest.mark.parametrize(
    ("code", "is_old"),
    [
        (
            "class Own(tf.keras.optimizers.SGD):\n    def _resource_apply_dense(self, g, v): ...",
            True,
        ),
        ("class Own(tf.keras.optimizers.SGD):\n    def update_step(self, g, v): ...", False),
        ("class Own(Base):\n    def _resource_apply_dense(self, g, v): ...", False),
        ("o = {'sgd': tf.keras.optimizers.SGD}\no['sgd'](lr=0.1)", True),
        ("o = {'sgd': tf.keras.optimizers.SGD}\ncls = o.get('sgd')\ncls(decay=0.1)", True),
        ("o = {'sgd': tf.keras.optimizers.SGD}\no = o['sgd']\no(0.1)", False),
        ("o = {'sgd': tf.keras.optimizers.SGD}\nmade['sgd'](lr=0.1)", False),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(o.get_weights())", True),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(model.get_weights())", False),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(o.get_config()['decay'])", True),
        ("o = tf.keras.optimizers.SGD(0.1)\nc = o.get_config()\nprint(c['decay'])", True),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(o.get_config()['momentum'])", False),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(layer.get_config()['decay'])", False),
        ("o = tf.keras.optimizers.SGD(c['decay'])\nprint(o.get_config())", False),
        ("o = functools.partial(tf.keras.optimizers.SGD, decay=0.1)", True),
        ("o = functools.partial(train, decay=0.1)\no(tf.keras.optimizers.SGD)", False),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(o.weights, o.decay)", True),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(model.weights, args.decay)", False),
        ("o = tf.keras.optimizers.SGD(0.1)\nprint(o.variables, o.lr, o.learning_rate)", False),
        ("o = tf.keras.optimizers.SGD(0.1)\ndef f(opt):\n    return opt.get_weights()", False),
        ("o = tf.keras.optimizers.SGD(0.1)\ndef f(opt):\n    return opt.decay, opt.lr", False),
    ],
)
def test_what_the_new_classes_lack_makes_names_of_today_an_old_program(
    code: str, is_old: bool, scaling: str
) -> None:
    before = f"import tensorflow as tf\n{code}\ntf.keras.mixed_precision.{scaling}\n"
    after = before.replace("optimizers.SGD", "optimizers.legacy.SGD")
    check_transformed(before, after if is_old else before)
    check_noop(after)


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("given = {'lr': 0.1}\no = tf.keras.optimizers.SGD(**given)", True),
        ("def sgd(**kw):\n    return tf.keras.optimizers.SGD(**kw)\no = sgd(decay=0.1)", True),
        ("sgd = tf.keras.optimizers.SGD\no = {'a': sgd}['a'](**dict(lr=0.1))", True),
        ("given = {}\ngiven['lr'] = 0.1\no = tf.keras.optimizers.SGD(**given)", True),
        ("given = {'x': c['lr']}\no = tf.keras.optimizers.SGD(**given)", False),
        ("given = {'learning_rate': 0.1}\no = tf.keras.optimizers.SGD(**given)", False),
        ("given = {'lr': 0.1}\no = tf.keras.optimizers.legacy.SGD(**given)", False),
        ("given = {'lr': 0.1}\no = tf.keras.optimizers.SGD(given['lr'])", False),
    ],
)
@pytest.mark.parametrize("target", ["tf-keras", "compat"])
def test_unpacked_arguments_may_be_those_of_the_old_classes(
    code: str, is_found: bool, target: str
) -> None:
    source = f"import tensorflow as tf\n{code}\ntf.keras.mixed_precision.LossScaleOptimizer(o)\n"
    check_left(source, *["it unpacks arguments"] * is_found, target=target)
    check_left(source, target=target, legacy_optimizers=False)


@pytest.mark.parametrize("argument", ["decay=0.1", "lr=0.1", "gradient_transformers=[]"])
@pytest.mark.parametrize(
    "scaling",
    [
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')",
        "opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)",
    ],
)
def test_an_argument_of_the_old_classes_makes_names_of_today_an_old_program(
    argument: str, scaling: str
) -> None:
    before = f"import tensorflow as tf\nopt = tf.keras.optimizers.Adam({argument})\n{scaling}\n"
    check_transformed(before, before.replace("optimizers.Adam", "optimizers.legacy.Adam"))
    check_noop(before.replace(argument, "0.1"))
    check_noop(before.replace("optimizers.Adam", "optimizers.legacy.Adam"))
    check_noop(before.replace(scaling, ""))
    for told in (before.replace(argument, "0.1"), before.replace(scaling, "")):
        assert "optimizers.legacy.Adam(" in migrate_source(told, legacy_optimizers=True).text
