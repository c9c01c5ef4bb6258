# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tests.codemods.checks import check_left, check_noop, check_review

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
    check_left(f"{HEAD}mp = {call}\n", "put together when the program runs")


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
    check_left(f"{HEAD}x = {lookup}\n", "dictionary of its module")


def test_a_name_that_is_known_at_run_time_alone() -> None:
    check_left(f"{HEAD}x = vars(tf.train.experimental)[name]\n", "known only when the program runs")


def test_such_a_program_is_an_old_one() -> None:
    made = f"{HEAD}mp = importlib.import_module(ROOT + '.experimental')\nopt = "
    check_review(
        f"{made}tf.keras.optimizers.SGD()\n",
        f"{made}tf.keras.optimizers.legacy.SGD()\n",
        "put together",
    )
