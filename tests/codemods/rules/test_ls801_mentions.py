# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, migrate_source

from tests.codemods.checks import program


def test_mentions_are_listed_and_ask_for_nothing() -> None:
    result = migrate_source(
        '"""Uses tf.keras.mixed_precision.experimental.LossScaleOptimizer."""\n'
        "# from tensorflow.keras.mixed_precision import experimental\n"
        "x = 1  # see DynamicLossScale\n"
        "raise ValueError(f'call {x} enable_mixed_precision_graph_rewrite first')\n"
    )
    assert not result.changed
    assert [(r.rule, r.outcome, r.line, r.column) for r in result.records] == [
        ("LS801", Outcome.MENTIONED, 1, 9),
        ("LS801", Outcome.MENTIONED, 2, 8),
        ("LS801", Outcome.MENTIONED, 3, 14),
        ("LS801", Outcome.MENTIONED, 4, 29),
    ]


def test_the_helper_that_the_codemod_adds_mentions_nothing() -> None:
    source = """
        import tensorflow as tf
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, config.loss_scale)
    """
    migrated = migrate_source(program(source)).text
    assert "DynamicLossScale" in migrated
    assert migrate_source(migrated).records == ()


OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
PATH = "tensorflow.keras.mixed_precision.experimental.LossScaleOptimizer"
# Programs in which old names stand in prose only.
MENTIONS = {
    "a comment": f"# {OLD}\n",
    "two in a comment": f"x = 1  # {OLD}, once FixedLossScale\n",
    "a comment for the codemod": f"# {OLD}\n# compat-lossscale: ignore[LS201] {OLD}\n",
    "a docstring": f'def f():\n    """Of {OLD}."""\n',
    "a docstring of several lines": f'"""One.\n\n    {OLD}\n  and FixedLossScale."""\n',
    "a docstring in parentheses": f'("Of {OLD}.")\n',
    "a docstring behind a statement": f"x = 1; 'Of {OLD}.'\n",
    "a docstring in pieces": f"'Of ' 'the {OLD}.'\n",
    "a string": f"log('Of {OLD}.')\n",
    "a string in pieces": f"log('Of '\n    'the {OLD} of'\n    ' old')\n",
    "a string with escapes": f"log('\\t\\u00e9 {OLD}\\n')\n",
    "a raw string": f"log(r'\\d {OLD}')\n",
    "bytes": f"log(b'Of {OLD}')\n",
    "an annotation": f"def f(x: 'like {OLD}'): pass\n",
    "behind letters of two bytes": f"é = 'é'; 'é'; 'é {OLD}'  # é {OLD}\n",
    "a sentence that starts with it": f"log('{PATH} is old. Or not')\n",
    "an f-string": f"log(f'{{x}} of {OLD}, {{y!r:>8}}, FixedLossScale{{z}}')\n",
    "an f-string with its field in it": "log(f'{x}.train.experimental.LossScale{y}')\n",
    "CRLF": f'"""One.\r\nTwo, {OLD}\r\n"""\r\n# {OLD}\r\n',
    "a name": "class FixedLossScale:\n    '''A FixedLossScale.'''\n",
    "no newline": f"# {OLD}",
    "hasattr": f"# {OLD}\nok = hasattr(tf.keras.mixed_precision, 'experimental')\n",
    "an import of another module": f"x = importlib.import_module('a.b')  # {OLD}\n",
    "getattr of another thing": f"x = getattr(opt, name)  # {OLD}\n",
    "an f-string with braces": f"log(f'{{{{}}}} {OLD} {{x[0]}}}}}}')\n",
    "an f-string with strings in it": f"log(f'{{x[\"y\"]}} {OLD}')\n",
    "an f-string of several lines": f'log(f"""{{x}}\n {OLD}""")\n',
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("case", MENTIONS)
def test_a_mention_is_listed_wherever_it_stands(case: str, encoding: str) -> None:
    cookie = "# coding: latin-1\n" if encoding == "latin-1" else ""
    source = (cookie + MENTIONS[case]).encode(encoding)
    result = migrate_source(source)
    assert result.output == source
    assert result.records
    assert {record.outcome for record in result.records} == {Outcome.MENTIONED}


def test_it_says_nothing_of_the_escapes_in_a_file(recwarn: pytest.WarningsRecorder) -> None:
    assert migrate_source(f"# {OLD}\nx = '\\d'\n").records
    assert not recwarn.list


@pytest.mark.parametrize("word", ["a", "a.", "mixed_precision "])
def test_a_long_text_with_a_name_in_it_is_searched_in_linear_time(word: str) -> None:
    # A search that tries each place of a word to its end takes hours.
    result = migrate_source(f"x = '{word * 300_000} {OLD}'\n")
    assert [record.outcome for record in result.records] == [Outcome.MENTIONED]
