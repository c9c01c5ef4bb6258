# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_review, check_transformed

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
NEW = "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
MODEL = "def name(): return args.opt\nmodel = tf.keras.Sequential()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'adam'", "tf.keras.optimizers.legacy.Adam()"),
        ("'RMSprop', 'mse'", "tf.keras.optimizers.legacy.RMSprop(), 'mse'"),
        ("loss='mse', optimizer='SGD'", "loss='mse', optimizer=tf.keras.optimizers.legacy.SGD()"),
        ("args.opt", "tf.keras.optimizers.get(args.opt, use_legacy_optimizer=True)"),
        (
            "optimizer=config['opt']",
            "optimizer=tf.keras.optimizers.get(config['opt'], use_legacy_optimizer=True)",
        ),
        (
            "'adam' if x else opt",
            "tf.keras.optimizers.get('adam' if x else opt, use_legacy_optimizer=True)",
        ),
        ("name()", "tf.keras.optimizers.get(name(), use_legacy_optimizer=True)"),
        (
            "config.get('opt')",
            "tf.keras.optimizers.get(config.get('opt'), use_legacy_optimizer=True)",
        ),
    ],
)
def test_what_compile_gets(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}{MODEL}model.compile({before})\n", f"{NEW}{MODEL}model.compile({after})\n"
    )


@pytest.mark.parametrize(
    "given",
    [
        "tf.keras.optimizers.legacy.SGD()",
        "optimizer=tf.keras.mixed_precision.LossScaleOptimizer(opt)",
        "make_optimizer()",
        "'adamw'",
        "optimizer=None",
        "[tf.keras.optimizers.legacy.SGD()]",
    ],
)
def test_what_compile_gets_and_stays(given: str) -> None:
    check_transformed(
        f"{OLD}{MODEL}model.compile({given})\n", f"{NEW}{MODEL}model.compile({given})\n"
    )


@pytest.mark.parametrize(
    "model",
    [
        "model = tf.keras.models.load_model(path)",
        "model = tf.keras.applications.ResNet50()",
        "class Mine(tf.keras.Model): pass\nmodel = Mine()",
        "def build(): return tf.keras.Model(x, y)\nmodel = build()",
        "with strategy.scope():\n    model = tf.keras.Sequential()",
        "from tensorflow.keras.models import Sequential\nmodel = Sequential()",
    ],
)
def test_a_model(model: str) -> None:
    check_transformed(
        f"{OLD}{model}\nmodel.compile('sgd')\n",
        f"{NEW}{model}\nmodel.compile(tf.keras.optimizers.legacy.SGD())\n",
    )


def test_a_model_that_compiles_itself() -> None:
    check_transformed(
        f"""{OLD}
class Mine(tf.keras.Model):
    def start(self):
        self.compile('adam')
""",
        f"""{NEW}
class Mine(tf.keras.Model):
    def start(self):
        self.compile(tf.keras.optimizers.legacy.Adam())
""",
    )


def test_a_compile_of_the_programs_own_gets_the_string() -> None:
    check_transformed(
        f"""{OLD}
class Mine(tf.keras.Model):
    def compile(self, optimizer):
        super().compile(optimizer)

model = Mine()
model.compile('adam')
""",
        f"""{NEW}
class Mine(tf.keras.Model):
    def compile(self, optimizer):
        super().compile(tf.keras.optimizers.get(optimizer, use_legacy_optimizer=True))

model = Mine()
model.compile('adam')
""",
    )


@pytest.mark.parametrize(
    "line",
    [
        "est.compile(data)",
        "est.compile(optimizer=opt)",
        "import re\nre.compile('adam')",
        "code = compile('adam', '', 'exec')",
        "import mylib\nmylib.compile('adam')",
        "class Mine:\n    def compile(self, x): ...\nMine().compile('adam')",
    ],
)
def test_what_is_no_model_of_tf_keras(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n")


@pytest.mark.parametrize(
    "given", ["'adam'", "args.optimizer", "loss='mse'", "optimizer=config['opt']"]
)
def test_what_is_not_proven_to_be_a_model_is_reported(given: str) -> None:
    check_review(
        f"{OLD}def fit(model): model.compile({given})\n",
        f"{NEW}def fit(model): model.compile({given})\n",
        "not proven to be a Keras model",
    )


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("model.compile({})", ""),
        ("model.compile({})", "loss='mse'"),
        ("model.compile({})", "\n    loss='mse',\n    metrics=[],\n"),
        ("tf.keras.Model.compile({})", "model"),
        ("tf.keras.Model.compile({})", "model, loss='mse'"),
    ],
)
def test_the_optimizer_that_compile_takes_by_itself_is_written(call: str, given: str) -> None:
    made = "optimizer=tf.keras.optimizers.legacy.RMSprop()"
    new = f"{given}    {made},\n" if given.endswith("\n") else f"{given}, {made}" if given else made
    check_transformed(f"{OLD}{MODEL}{call.format(given)}\n", f"{NEW}{MODEL}{call.format(new)}\n")


def test_unpacked_arguments_are_reported() -> None:
    check_review(
        f"{OLD}{MODEL}model.compile(**given)\nmodel.compile('sgd', **given)\n",
        f"{NEW}{MODEL}model.compile(**given)\n"
        "model.compile(tf.keras.optimizers.legacy.SGD(), **given)\n",
        "are unpacked",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.keras.optimizers.get(x)", "tf.keras.optimizers.get(x, use_legacy_optimizer=True)"),
        ("tf.optimizers.get(x)", "tf.optimizers.get(x, use_legacy_optimizer=True)"),
        (
            "tf.keras.optimizers.deserialize(x,)",
            "tf.keras.optimizers.deserialize(x, use_legacy_optimizer=True,)",
        ),
        (
            "tf.keras.optimizers.serialize(x)",
            "tf.keras.optimizers.serialize(x, use_legacy_format=True)",
        ),
        (
            "tf.compat.v1.keras.optimizers.get(x)",
            "tf.compat.v1.keras.optimizers.get(x, use_legacy_optimizer=True)",
        ),
    ],
)
def test_functions(before: str, after: str) -> None:
    check_transformed(f"{OLD}y = {before}\n", f"{NEW}y = {after}\n")


@pytest.mark.parametrize(
    "line",
    [
        "y = tf.keras.optimizers.get(x, use_legacy_optimizer=False)",
        "y = tf.keras.optimizers.get(tf.keras.optimizers.legacy.SGD())",
        "y = hasattr(tf.keras.optimizers, 'Lion')",
        "y = getattr(tf.keras.optimizers, 'schedules')",
        "print('tf.keras.optimizers.Adam')",
        "y = 'tf.keras.optimizers.schedules.Decay'",
    ],
)
def test_what_says_its_family_stays(line: str) -> None:
    check_transformed(f"{OLD}{line}\n", f"{NEW}{line}\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y = build(tf.keras.optimizers)", "the module is passed on"),
        ("def f(): return tf.keras.optimizers", "the module is passed on"),
        ("y = getattr(tf.keras.optimizers, x)()", "a class of it is looked up"),
        ("y = getattr(getattr(tf.keras, 'optimizers'), x)()", "a class of it is looked up"),
        ("y = vars(tf.keras.optimizers)[x]()", "a class of it is looked up"),
        ("y = tf.keras.optimizers.__dict__[x]()", "a class of it is looked up"),
        ("y = map(tf.keras.optimizers.get, names)", "it is passed on"),
        ("y = tf.keras.optimizers.get(x, **given)", "are unpacked"),
        ("mock.patch('tensorflow.keras.optimizers.Adam.get_config')", "strings are never edited"),
        ("y = eval('tf.keras.optimizers.' + name)", "strings are never edited"),
        ("y = eval(f'tf.optimizers.{name}')", "strings are never edited"),
        ("y = operator.attrgetter('optimizers.Adam')(tf.keras)", "strings are never edited"),
        ("y = {'_target_': 'tf.keras.optimizers.Adam'}", "strings are never edited"),
    ],
)
def test_what_cannot_be_seen_is_reported(line: str, message: str) -> None:
    check_review(f"{OLD}{line}\n", f"{NEW}{line}\n", message)


def test_arguments_that_stand_one_a_line() -> None:
    check_transformed(
        f"{OLD}y = tf.keras.optimizers.deserialize(\n    config,\n    custom_objects=objects,\n)\n",
        f"{NEW}y = tf.keras.optimizers.deserialize(\n    config,\n    custom_objects=objects,\n"
        "    use_legacy_optimizer=True,\n)\n",
    )


def test_an_imported_function() -> None:
    check_transformed(
        f"{OLD}from tensorflow.keras.optimizers import get as g\ny = g('adam')\n",
        f"{NEW}from tensorflow.keras.optimizers import get as g\n"
        "y = g('adam', use_legacy_optimizer=True)\n",
    )


def test_a_module_that_the_file_does_not_import_yet() -> None:
    old = "from tensorflow.keras.mixed_precision.experimental import set_policy\n"
    new = "from tensorflow.keras.mixed_precision import set_global_policy as set_policy\n"
    rest = "from tensorflow.keras.models import Sequential\n"
    check_transformed(
        f"{old}{rest}set_policy('mixed_float16')\nSequential().compile('adam')\n",
        f"{new}{rest}from tensorflow.keras.optimizers.legacy import Adam\n"
        "set_policy('mixed_float16')\nSequential().compile(Adam())\n",
    )
    check_transformed(
        f"{old}{rest}set_policy('mixed_float16')\nSequential().compile(args.opt)\n",
        f"{new}{rest}from tensorflow.keras import optimizers\n"
        "set_policy('mixed_float16')\n"
        "Sequential().compile(optimizers.get(args.opt, use_legacy_optimizer=True))\n",
    )


def test_a_program_without_old_names_is_left() -> None:
    check_left(f"import tensorflow as tf\n{MODEL}model.compile('adam')\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model, 'adam'", "model, tf.keras.optimizers.legacy.Adam()"),
        (
            "model, optimizer=args.opt",
            "model, optimizer=tf.keras.optimizers.get(args.opt, use_legacy_optimizer=True)",
        ),
    ],
)
def test_what_compile_of_the_class_gets(before: str, after: str) -> None:
    check_transformed(
        f"{OLD}{MODEL}tf.keras.Model.compile({before})\n",
        f"{NEW}{MODEL}tf.keras.Model.compile({after})\n",
    )


def test_what_compile_of_the_class_gets_in_a_subclass() -> None:
    head = "class Mine(tf.keras.Model):\n    def compile(self, opt):\n        tf.keras.Model."
    check_transformed(
        f"{OLD}{head}compile(self, 'sgd')\n",
        f"{NEW}{head}compile(self, tf.keras.optimizers.legacy.SGD())\n",
    )


@pytest.mark.parametrize(
    "kept",
    [
        "prepare = functools.partial(model.compile, loss='mse')",
        "prepare = functools.partial(model.compile, 'adam')",
        "prepare = model.compile",
        "run(tf.keras.Model.compile, model)",
        "run(unknown.compile)",
    ],
)
def test_a_compile_that_is_called_later(kept: str) -> None:
    check_review(f"{OLD}{MODEL}{kept}\n", f"{NEW}{MODEL}{kept}\n", "called later")


@pytest.mark.parametrize("kept", ["run(args.compile)", "run(re.compile)"])
def test_a_kept_compile_of_what_is_no_model(kept: str) -> None:
    check_transformed(f"import re\n{OLD}{MODEL}{kept}\n", f"import re\n{NEW}{MODEL}{kept}\n")


@pytest.mark.parametrize("keyword", ["loss", "metrics", "run_eagerly"])
def test_an_unknown_object_with_an_unknown_value_is_reported(keyword: str) -> None:
    tail = f"def fit(model, opt):\n    model.compile(opt, {keyword}=x)\n"
    check_review(OLD + tail, NEW + tail, "not proven")


def test_an_unknown_object_that_reads_like_no_model_is_left() -> None:
    tail = "def build(parser, opt):\n    parser.compile(opt, path=x)\n"
    check_transformed(OLD + tail, NEW + tail)
