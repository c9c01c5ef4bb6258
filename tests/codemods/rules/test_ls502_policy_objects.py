# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import check_left, check_transformed, program, reviews
from tests.codemods.projects import migrated

if TYPE_CHECKING:
    from pathlib import Path

OLD = "tf.keras.mixed_precision.experimental.Policy"
NEW = "tf.keras.mixed_precision.Policy"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'mixed_float16'", "'mixed_float16'"),
        ("name", "name"),
        ("name=n", "name=n"),
        ("'mixed_float16', 'dynamic'", "'mixed_float16'"),
        ("name='mixed_float16', loss_scale='dynamic'", "name='mixed_float16'"),
        ("loss_scale='dynamic', name='mixed_float16'", "name='mixed_float16'"),
        ("'mixed_bfloat16', loss_scale=None", "'mixed_bfloat16'"),
        ("'float32', None", "'float32'"),
    ],
)
def test_arguments(before: str, after: str) -> None:
    check_transformed(
        f"import tensorflow as tf\np = {OLD}({before})\n",
        f"import tensorflow as tf\np = {NEW}({after})\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'mixed_float16', loss_scale=None", "always wraps"),
        ("'mixed_float16', loss_scale=scale", "known only when"),
        ("'float32', loss_scale='dynamic'", "not the one"),
        ("name, loss_scale='dynamic'", "which policy"),
        ("'infer_float32_vars'", "no policy of this name"),
        ("**config", "unpacked"),
    ],
)
def test_arguments_that_are_left(arguments: str, message: str) -> None:
    check_left(f"import tensorflow as tf\np = {OLD}({arguments})\n", message)


def test_a_config_that_is_read_in_a_loop() -> None:
    result = migrate_source(
        f"import tensorflow as tf\nfor n, p in [('a', {OLD}('mixed_float16', 'dynamic'))]:\n"
        "    print(n, p.get_config())\n"
    )
    assert any("get_config() is read" in record.message for record in result.records)


@pytest.mark.parametrize(
    "use", ["p.get_config()", f"{OLD}('mixed_float16', 'dynamic').get_config()"]
)
def test_a_config_that_is_read(use: str) -> None:
    program = f"import tensorflow as tf\np = {OLD}('mixed_float16', 'dynamic')\nprint({use})\n"
    result = migrate_source(program)
    assert any("get_config() is read" in record.message for record in result.records)
    assert migrate_source(program.replace(".get_config()", ".name")).text.count("experimental") == 0


def test_a_name_in_a_variable() -> None:
    check_transformed(
        f"import tensorflow as tf\nn = 'mixed_float16'\np = {OLD}(n, loss_scale='dynamic')\n",
        f"import tensorflow as tf\nn = 'mixed_float16'\np = {NEW}(n)\n",
    )


MODEL = "tf.keras.Sequential([tf.keras.layers.Dense(1)])"
ADAM = "tf.keras.optimizers.legacy.Adam()"
PROGRAM = """
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp
def build():
    made = {model}
    return made
{before}
policy = mp.Policy("mixed_float16", loss_scale=2 ** 7)
mp.set_policy(policy)
print(policy.compute_dtype)
with strategy.scope():
    model = build()
    {compile}
{behind}
"""
MOVED = """
import tensorflow as tf
from tensorflow.keras import mixed_precision as mp
def build():
    made = {model}
    return made
{before}
policy = mp.Policy("mixed_float16")
mp.set_global_policy(policy)
print(policy.compute_dtype)
with strategy.scope():
    model = build()
    {compile}
{behind}
"""
WRAPPED = f"mp.LossScaleOptimizer({ADAM}, dynamic=False, initial_scale=2 ** 7)"


def parts(**given: str) -> dict[str, str]:
    return {"model": MODEL, "before": "", "behind": "", **given}


@pytest.mark.parametrize(
    "given",
    [
        {"compile": "model.compile('adam')"},
        {"compile": "model.compile(make())"},
        {"compile": f"model.compile(**{{'optimizer': {ADAM}}})"},
        {"compile": "pass"},
        {"compile": f"model.compile({ADAM})", "behind": "other.compile(o)"},
        {"compile": f"model.compile({ADAM})", "behind": "print(policy.loss_scale)"},
        {"compile": f"model.compile({ADAM})", "behind": "use(policy)"},
        {"compile": f"model.compile({ADAM})", "behind": "mp.set_policy('float32')"},
        {"compile": f"model.compile({ADAM})", "behind": "from mine import *"},
        {"compile": f"model.compile({ADAM})",
         "behind": "tf.keras.mixed_precision.set_global_policy('float32')"},
        {"compile": f"model.compile({ADAM})", "behind": f"def f(m): m.compile({ADAM})"},
        {"compile": f"model.compile({ADAM})", "model": "tf.keras.models.load_model(p)"},
        {"compile": f"model.compile({ADAM})", "model": f"{MODEL[:-1]}, dtype='float32')"},
        {"compile": f"old.compile({ADAM})", "before": f"old = {MODEL}"},
    ],
)  # fmt: skip
def test_a_number_stays_where_the_policy_may_decide_over_others(given: dict[str, str]) -> None:
    result = migrate_source(PROGRAM.format(**parts(**given)))
    assert [r.outcome for r in result.records if r.rule == "LS502"] == [Outcome.NEEDS_REVIEW]
    assert "loss_scale=2 ** 7" in result.text


def test_a_loss_scale_that_is_known_only_at_run_time_is_not_said_to_be_another() -> None:
    check_left(
        """
        import tensorflow as tf
        p = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=given)
        """,
        "is known only when the program runs",
    )


LOOP = """
import tensorflow as tf
{before}
p = {policy}
tf.keras.mixed_precision.{sets}(p)
with tf.GradientTape() as tape:
    loss = model(x)
{behind}
"""


def loop(policy: str, sets: str, **parts: str) -> str:
    given = {"before": "import re", "behind": "re.compile('x')", **parts}
    return LOOP.format(policy=policy, sets=sets, **given)


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ("'mixed_float16', loss_scale=None", "'mixed_float16'"),
        ("'mixed_float16', 128", "'mixed_float16'"),
        ("'float32', loss_scale='dynamic'", "'float32'"),
        ("name, loss_scale=None", "name"),
    ],
)
def test_a_loss_scale_that_nothing_takes_goes(arguments: str, left: str) -> None:
    old, new = "experimental.set_policy", "set_global_policy"
    check_transformed(loop(f"{OLD}({arguments})", old), loop(f"{NEW}({left})", new))


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ("'mixed_float16', loss_scale=None", {"behind": "m.compile(o)"}),
        ("'mixed_float16', loss_scale=None", {"behind": "getattr(m, 'compile')(o)"}),
        ("'mixed_float16', loss_scale=None", {"before": "from keras.models import load_model"}),
        ("'mixed_float16', loss_scale=None", {"behind": "print(layer.get_config())"}),
        ("'mixed_float16', loss_scale=None", {"behind": "print(model.to_json())"}),
        ("'mixed_float16', loss_scale=None", {"behind": "print(p.loss_scale)"}),
        ("'mixed_float16', loss_scale=16", {"behind": "opt = wrap(o, p.loss_scale)"}),
        ("'mixed_float16', loss_scale=next(scales)", {}),
        ("'mixed_float16', loss_scale=flags.scale", {}),
        ("'mixed_float16', loss_scale='other'", {}),
    ],
)
def test_a_loss_scale_stays_that_something_may_take(arguments: str, parts: dict[str, str]) -> None:
    result = migrate_source(loop(f"{OLD}({arguments})", "experimental.set_policy", **parts))
    outcomes = [r.outcome for r in result.records if r.rule == "LS502"]
    assert outcomes == [Outcome.NEEDS_REVIEW]


@pytest.mark.parametrize(
    ("files", "goes"),
    [
        ({"main.py": "from precision import use\nuse()\ntf.GradientTape()"}, True),
        ({"main.py": "from precision import use\nuse()"}, False),
        ({"main.py": "from precision import use\nuse()\nm.compile(o)\no.minimize(f)"}, False),
        ({"main.py": "from precision import use\nuse()\ntf.GradientTape()",
          "other.py": "m.compile(o)"}, True),
        ({"main.py": "import other\nfrom precision import use\nuse()\ntf.GradientTape()",
          "other.py": "m.compile(o)"}, False),
        ({"main.py": "import other\nfrom precision import use\nuse()\ntf.GradientTape()",
          "other.py": "class A(B):\n  def get_config(self):\n    return super().get_config()"},
         False),
        ({"main.py": "import other\nfrom precision import use\nuse()\ntf.GradientTape()",
          "other.py": "print(layer.get_config())"}, False),
    ],
)  # fmt: skip
def test_a_loss_scale_goes_where_no_file_of_the_program_compiles(
    tmp_path: Path, files: dict[str, str], goes: bool
) -> None:
    source = "def use():\n  p = old.Policy('mixed_float16', None)\n  old.set_policy(p)"
    found = migrated(tmp_path, {"precision.py": source, **files})
    outcomes = {r.outcome for r in found["precision.py"].records if r.rule == "LS502"}
    assert outcomes == {Outcome.REWRITTEN if goes else Outcome.NEEDS_REVIEW}


def test_a_loss_scale_that_a_parameter_gets_is_not_followed() -> None:
    result = migrate_source(
        "import tensorflow as tf\ndef use(scale=None):\n"
        f"    tf.keras.mixed_precision.experimental.set_policy({OLD}('mixed_float16', scale))\n"
        "use()\ntf.GradientTape()\n"
    )
    assert any("LS502" in text for text in reviews(result))


WRAPS = f"{{}}.LossScaleOptimizer({ADAM}, {{}})"


@pytest.mark.parametrize("scale", ["1024", "None", "'dynamic'", "LS", "{}.DynamicLossScale(8)"])
@pytest.mark.parametrize(
    "compiling", ["model.compile({})", "opt = {}\nmodel.compile(loss=l, optimizer=opt)"]
)
def test_a_loss_scale_goes_beside_optimizers_that_are_wrapped(scale: str, compiling: str) -> None:
    head = "import tensorflow as tf\nLS = 4\n"
    body = "tf.keras.mixed_precision.{}({})\nmodel = tf.keras.Sequential()\n{}\n"
    old, new = (path.removesuffix(".Policy") for path in (OLD, NEW))
    given = scale.format("tf.train.experimental")
    check_transformed(
        head
        + body.format(
            "experimental.set_policy",
            f"{OLD}('mixed_float16', loss_scale={given})",
            compiling.format(WRAPS.format(old, "'dynamic'")),
        ),
        head
        + body.format(
            "set_global_policy",
            f"{NEW}('mixed_float16')",
            compiling.format(WRAPS.format(new, "").replace(", )", ")")),
        ),
    )


def test_a_loss_scale_stays_beside_an_optimizer_that_is_not_always_wrapped() -> None:
    source = f"""
        import tensorflow as tf
        tf.keras.mixed_precision.experimental.set_policy({OLD}("mixed_float16", loss_scale=8))
        opt = {ADAM}
        if flag:
            opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
        model.compile(opt)
    """
    result = migrate_source(program(source))
    assert "loss_scale=8" in result.text
    assert any("unless it is wrapped already" in text for text in reviews(result))


READ = """
import tensorflow as tf
mp = tf.keras.mixed_precision{old}
policy = mp.Policy("mixed_float16"{scale})
mp.{sets}(policy)
{before}opt = mp.LossScaleOptimizer(inner, {taken})
tape = tf.GradientTape()
{behind}
"""
LATER = {"old": "", "scale": "", "sets": "set_global_policy", "before": "", "behind": ""}
BEFORE = {"old": ".experimental", "sets": "set_policy", "before": "", "behind": ""}


@pytest.mark.parametrize(
    "parts",
    [
        {"scale": "", "behind": "other = mp.LossScaleOptimizer(inner, policy.loss_scale)"},
        {"scale": "", "behind": "model.compile(inner)"},
        {"scale": "", "before": "for inner in inners: "},
        {"scale": ", loss_scale=flags.scale"},
        {"scale": ", **more"},
    ],
)
def test_an_optimizer_that_shares_the_loss_scale_of_a_policy_stays(parts: dict[str, str]) -> None:
    result = migrate_source(READ.format(**{**BEFORE, "taken": "policy.loss_scale", **parts}))
    assert "policy.loss_scale)" in result.text
    assert any("LS201" in text and "read from a policy" in text for text in reviews(result))
    assert not any("LS504" in text for text in reviews(result))


def test_a_message_is_one_line_where_the_loss_scale_stands_on_two() -> None:
    source = f"import tensorflow as tf\np = {OLD}('mixed_float16', get(\n    flags))\n"
    [text] = reviews(migrate_source(source))
    assert "whether get( flags) is the one" in text
