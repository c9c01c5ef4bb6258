# SPDX-License-Identifier: Apache-2.0
"""Arguments in an old order become those of today; arguments that do not tell stay."""

from __future__ import annotations

from typing import Any

import pytest

from compat_lossscale.neighbour_names import SIGNATURES
from compat_lossscale.neighbour_names.neighbour import Changed
from tests.support import run_code

SAVE = Changed("m.Model.save", 2, ("whole", "form"), {2: (bool,)}, at_most=3)
MOVED = Changed("m.Loss", 1, ("reduction", "name"), {1: (str,)})
OTHERS = Changed(
    "m.f", renamed={"old": "new"}, dropped=frozenset({"gone"}), refused={"no": "Use x"}
)


def call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


@pytest.mark.parametrize(
    ("changed", "given", "expected"),
    [
        (SAVE, call("p"), call("p")),
        (SAVE, call("p", True, "h5"), call("p", True, "h5")),
        (SAVE, call("p", True, False), call("p", True, whole=False)),
        (SAVE, call("p", True, None, "h5"), call("p", True, whole=None, form="h5")),
        (SAVE, call("p", True, True, form="h5"), call("p", True, whole=True, form="h5")),
        # Nobody could call it so, then or now: the function says what is wrong.
        (SAVE, call(*"pqrst"), call(*"pqrst")),
        (SAVE, call("p", True, True, "h5", form="h5"), call("p", True, True, "h5", form="h5")),
        (MOVED, call(True, 0), call(True, 0)),
        (MOVED, call(True, "none", "n"), call(True, reduction="none", name="n")),
        (OTHERS, call(1, 2), call(1, 2)),
        (OTHERS, call(old=1), call(new=1)),
        (OTHERS, call(old=1, new=2), call(old=1, new=2)),
        (OTHERS, call(gone=1), call()),
        (OTHERS, call(no=None), call(no=None)),
    ],
)
def test_what_becomes_of_a_call(changed: Changed, given: Any, expected: Any) -> None:
    positional, named = changed.as_today(*given)
    assert (tuple(positional), named) == expected


def test_what_is_an_error_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"^f\(\) has no no any more\. Use x\.$"):
        OTHERS.as_today([], {"no": 1})


def test_the_names_are_those_that_todays_functions_take() -> None:
    given = [(one.path, list(one.then), list(one.renamed.values())) for one in SIGNATURES]
    out = run_code(
        f"""
        import functools, inspect, numpy, tensorflow
        for path, then, renamed in {given!r}:
            root, *names = path.split(".")
            found = functools.reduce(getattr, names, locals()[root])
            found = found.__init__ if inspect.isclass(found) else found
            known = inspect.signature(found).parameters
            takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
            for name in (*then, *renamed):
                # Of `inputs` and `name`, layers tell by `**kwargs`.
                if name not in known and not takes_any:
                    print(path, name)
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )
    # The one that is dropped.
    assert out == "tensorflow.keras.layers.Layer.add_update inputs\n"


def test_paths_are_unique_and_entries_say_something() -> None:
    assert len({one.path for one in SIGNATURES}) == len(SIGNATURES)
    for one in SIGNATURES:
        assert one.told_by or one.at_most or one.renamed or one.refused or one.instead, one.path
