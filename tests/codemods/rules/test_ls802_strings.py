# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from lossscale_codemods import Outcome, migrate_source
from lossscale_codemods.tables.names import Target

from tests.codemods.checks import check_left, check_noop, reviews
from tests.codemods.projects import migrated


@pytest.mark.parametrize(
    "code",
    [
        "mock.patch('tensorflow.keras.mixed_precision.experimental.set_policy')",
        "importlib.import_module('tensorflow.keras.mixed_precision.experimental')",
    ],
)
def test_strings_that_code_works_with(code: str) -> None:
    check_left(code + "\n", "LS802")


def test_strings_that_it_does_not() -> None:
    check_noop("name = 'LossScaleOptimizer'\n")


def test_strings_that_are_run_as_code() -> None:
    for call in (
        'exec("from tensorflow.keras.mixed_precision import experimental")',
        'eval("tf.keras.mixed_precision.experimental.global_policy()")',
        'code = compile("tf.train.experimental.FixedLossScale(8)", "x", "eval")',
        "os.system(\"python -c 'tf.contrib.mixed_precision'\")",
    ):
        check_left(f"import os\n{call}\n", "runs text as code")
    code = "tf.keras.mixed_precision.experimental.global_policy()"
    check_left(f"CODE = '{code}'\nexec(CODE)\n", "runs text as code")
    check_left('re.compile("tf.keras.mixed_precision.experimental")\n')


CODE = "tf.keras.mixed_precision.experimental.global_policy()"


@pytest.mark.parametrize(
    "code",
    [
        f"exec(textwrap.dedent('x = {CODE}'))",
        f"exec(f'x = {CODE}, {{scale}}')",
        f"exec('x = {CODE}, {{}}'.format(scale))",
    ],
)
def test_text_is_put_together_and_run(code: str) -> None:
    check_left(f"{code}\n", "runs text as code")


@pytest.mark.parametrize(
    "code",
    [
        f"x = ['{CODE}']\ny = [eval(one) for one in x]",
        f"run = exec\nrun('{CODE}')",
        f"x = template('{CODE}')\nexec(x)",
        f"f(text=f'{CODE} {{x}}')\nexec(y)",
    ],
)
def test_text_that_can_be_run(code: str) -> None:
    check_left(f"{code}\n", "runs text as code")


@pytest.mark.parametrize(
    "code",
    [
        f"x = '{CODE}'",
        f"'{CODE}'\nexec(y)",
        f"def exec(x): pass\nexec(y)\nf('{CODE}')",
        "flags.DEFINE_boolean('mixed_precision', True)\neval(x)",
        f"model.eval()\nf('{CODE}')",
        f"from utils import Timer\nTimer()\nf('{CODE}')",
        f"import threading\nthreading.Timer(1, g).start()\nf('{CODE}')",
        f"cluster.exec(command)\nf('{CODE}')",
    ],
)
def test_text_that_is_not_run(code: str) -> None:
    check_noop(f"{code}\n")


def test_imports_and_lookups_by_a_name() -> None:
    head = "import tensorflow as tf\n"
    for call in (
        'getattr(tf.train.experimental, "DynamicLossScale")(8)',
        'getattr(tf.keras.mixed_precision, "experimental").set_policy("x")',
    ):
        check_left(f"{head}{call}\n", "by its name")
    for call in (
        'importlib.import_module(".experimental", "tensorflow.keras.mixed_precision")',
        '__import__("tensorflow.keras.mixed_precision", fromlist=["experimental"])',
    ):
        check_left(f"{head}{call}\n", "a part of one")


def test_the_class_of_tensorflow_1_is_called_as_it_was() -> None:
    check_noop("ok = type(opt).__name__ == 'MixedPrecisionLossScaleOptimizer'\n")


def test_the_class_has_another_name_around_new_optimizers_alone() -> None:
    compared = "ok = opt.__class__.__name__ == 'LossScaleOptimizer'\n"
    check_noop(compared)
    check_noop(compared, target=Target.KERAS3)
    check_left(compared, "LS802", legacy_optimizers=False)


OLD_CALL = "tf.keras.mixed_precision.experimental.set_policy('float32')"


def test_a_doctest_is_run_as_code() -> None:
    doc = f'"""Sets it.\n\n>>> {OLD_CALL}\n"""\n'
    assert any("doctest" in text for text in reviews(migrate_source(doc)))
    assert reviews(migrate_source(doc.replace(">>> ", "It says "))) == []


@pytest.mark.parametrize(("target", "count"), [("tf-keras", 1), ("compat", 0), ("keras3", 1)])
def test_a_doctest_calls_the_loss_scale(target: str, count: int) -> None:
    old = f"import tensorflow as tf\n{OLD_CALL}\n"
    doc = '"""Wraps.\n\n>>> float(opt.loss_scale())\n8.0\n"""\n'
    assert len(reviews(migrate_source(doc + old, target=target))) == count
    assert reviews(migrate_source(doc)) == []
    assert reviews(migrate_source(doc.replace("scale()", "scale") + old, target=target)) == []


@pytest.mark.parametrize("target", ["tf-keras", "compat", "keras3"])
def test_what_is_patched_by_its_path_is_reported_for_every_target(target: str) -> None:
    source = "mock.patch('tensorflow.keras.mixed_precision.experimental.set_policy')\n"
    [text] = reviews(migrate_source(source, target=target))
    assert "path of an old name" in text


@pytest.mark.parametrize(
    ("runs", "is_found"),
    [("exec(TEXT)", True), ("print(TEXT)", False), ("timeit.default_timer()", False)],
)
def test_text_that_another_file_of_the_program_runs(
    tmp_path: Path, runs: str, is_found: bool
) -> None:
    text = "TEXT = 'tf.keras.mixed_precision.experimental.set_policy(\"mixed_float16\")'\n"
    found = migrated(tmp_path, {"main.py": f"from texts import TEXT\n{runs}\n", "texts.py": text})
    rules = [r.rule for r in found["texts.py"].records if r.outcome is Outcome.NEEDS_REVIEW]
    assert ("LS802" in rules) is is_found


def test_a_module_that_is_taken_if_it_is_there_is_reported_with_compat_too() -> None:
    taken = "getattr(tf.keras.mixed_precision, 'experimental', tf.keras.mixed_precision)"
    source = f"import tensorflow as tf\nmp = {taken}\nmp.LossScaleOptimizer(opt, 'dynamic')\n"
    check_left(source, "LS802", target=Target.COMPAT)
