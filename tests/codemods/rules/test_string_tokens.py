# SPDX-License-Identifier: Apache-2.0
"""The fixed text of an f-string is read without its fields."""

from __future__ import annotations

import pytest
from lossscale_codemods.analysis.approximate_names import CannotTellError
from lossscale_codemods.rules.shared.string_tokens import fields_blanked


@pytest.mark.parametrize(
    ("f_string", "fixed"),
    [
        ('f"a{b}c"', 'f"a...c"'),
        ('f"{{a}}"', 'f"..a.."'),
        ('f"{a.b!r:>10}{c}"', 'f".............."'),
        ('f"a"', 'f"a"'),
    ],
)
def test_fields_are_blank_and_the_length_stays(f_string: str, fixed: str) -> None:
    assert fields_blanked(f_string).replace("\0", ".") == fixed


@pytest.mark.parametrize("f_string", ["f\"{a['b']}\"", 'f"{a:{b}}"', "f'{a!r'"])
def test_other_fields_need_a_full_parse(f_string: str) -> None:
    with pytest.raises(CannotTellError):
        fields_blanked(f_string)
