# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import migrate_source

from tests.codemods.checks import check_left, check_noop, check_review, reviews

HEAD = "import importlib\nimport tensorflow as tf\nROOT = 'tensorflow.keras.mixed_precision'\n"


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module(ROOT + '.experimental')",
        "importlib.import_module(f'{ROOT}.experimental')",
        "importlib.import_module(f'tensorflow.keras.{part}.experimental')",
        "importlib.import_module('{}.experimental'.format(ROOT))",
        "importlib.import_module('.'.join([ROOT, 'experimental']))",
        "importlib.import_module('tensorflow.keras' '.mixed_precision.experimental')",
        "__import__(ROOT + '.experimental')",
        "pkgutil.resolve_name(f'{ROOT}.experimental:Policy')",
    ],
)
def test_imports_of_a_name_that_is_put_together(call: str) -> None:
    check_left(f"{HEAD}mp = {call}\n", "a part of one")


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module('models.' + name)",
        "importlib.import_module(name)",
        "importlib.import_module('tensorflow.keras.mixed_precision.' + name)",
        "importlib.import_module(ROOT)",
        "importlib.import_module(ROOT + '.experimentally')",
        "importlib.other('.experimental' + name)",
        "vars(tf.keras.mixed_precision)['Policy']",
        "vars(tf.keras)['mixed_precision']",
        "vars(other)['experimental']",
        "other.__dict__['experimental']",
    ],
)
def test_others(call: str) -> None:
    check_noop(f"{HEAD}x = {call}\n")


@pytest.mark.parametrize(
    "lookup",
    [
        "vars(tf.keras.mixed_precision)['experimental']",
        "tf.keras.mixed_precision.__dict__['experimental']",
        "vars(tf.keras.mixed_precision).get('experimental')",
        "vars(tf.train.experimental)['DynamicLossScale']",
    ],
)
def test_lookups_in_the_dictionary_of_a_module(lookup: str) -> None:
    check_left(f"{HEAD}x = {lookup}\n", "by its name")


def test_a_name_that_is_known_at_run_time_alone() -> None:
    check_left(f"{HEAD}x = vars(tf.train.experimental)[name]\n", "known only when the program runs")


def test_such_a_program_is_an_old_one() -> None:
    made = f"{HEAD}mp = importlib.import_module(ROOT + '.experimental')\nopt = "
    check_review(
        f"{made}tf.keras.optimizers.SGD()\n",
        f"{made}tf.keras.optimizers.legacy.SGD()\n",
        "a part of one",
    )


RUN = "this program runs text as code"
_TIMES = "import tensorflow as tf\nfrom timeit import timeit\n"


@pytest.mark.parametrize(
    "line",
    [
        "exec('tf.keras.mixed_precision.' + 'experimental' + '.set_policy(p)')",
        "name = 'experimental'\nexec(f'tf.keras.mixed_precision.{name}.set_policy(p)')",
        "text = 'tf.keras.mixed_precision.%s.global_policy()'\ntimeit(text % 'experimental')",
    ],
)
def test_text_that_is_put_together_and_run(line: str) -> None:
    assert any(RUN in text for text in reviews(migrate_source(f"{_TIMES}{line}\n")))


@pytest.mark.parametrize(
    "line",
    [
        "exec('tf.keras.' + 'mixed_' + 'x')",
        "re.compile('mixed_precision' + '.experimental')",
        "model.compile(name('mixed_precision.x' + 'experimental'))",
        "exec(text)\nparser.add_argument('--loss_scale')",
    ],
)
def test_text_that_is_not_run_or_not_old(line: str) -> None:
    assert reviews(migrate_source(f"{_TIMES}{line}\n")) == []


@pytest.mark.parametrize(
    "bound",
    [
        "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer",
        "import tensorflow as tf\nLossScale = tf.train.experimental.FixedLossScale",
    ],
)
def test_a_table_of_names_by_a_part_of_an_old_one(bound: str) -> None:
    source = f"{bound}\ncls = globals()['Loss' + kind]\n"
    assert any("known only when" in text for text in reviews(migrate_source(source)))


def test_a_table_of_names_in_a_file_that_gives_no_old_one_a_name() -> None:
    source = f"{HEAD}tf.keras.mixed_precision.experimental.set_policy(p)\nm = globals()[name]()\n"
    assert not any("known only when" in text for text in reviews(migrate_source(source)))


def test_a_module_whose_members_are_listed() -> None:
    source = (
        "import inspect\nimport tensorflow as tf\n"
        "found = dict(inspect.getmembers({}))['experimental']\n"
    )
    assert reviews(migrate_source(source.format("tf.keras.mixed_precision")))
    assert reviews(migrate_source(source.format("tf.keras.layers"))) == []


def test_each_part_of_a_text_that_is_compiled_and_run_is_found() -> None:
    line = (
        "text = 'tf.keras.mixed_precision.%s.x()'\nexec(compile(text % 'experimental', '', 'exec'))"
    )
    texts = reviews(migrate_source(f"{_TIMES}{line}\n"))
    assert [RUN in text for text in texts] == [True, True]
