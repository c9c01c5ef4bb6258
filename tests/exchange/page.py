# SPDX-License-Identifier: Apache-2.0
"""The matrix on the verify page, made from `matrix.json`.

python -m tests.exchange.page
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.exchange.run import RESULTS, Matrix, pair
from tests.exchange.sides import HERE, STOCK
from tests.exchange.verdict import Verdict

PAGE = Path(__file__).with_name("matrix.md")
GOOD = ("same", "close", "as its saver", "as its loader")
_APIS = {
    ("graph", "v1"): "`tf.compat.v1.train`",
    ("graph", "keras"): "Keras, in a graph",
    ("legacy", "v1"): "`tf.compat.v1.train`, eagerly",
    ("legacy", "keras"): "Keras, family of 2.0-2.10",
    ("new", "keras"): "Keras, family of 2.11",
}


_TITLES = {
    "Saver": "`tf.compat.v1.train.Saver`",
    "Checkpoint": "`tf.train.Checkpoint`",
    "weights": "`save_weights`",
    "h5": "`save_weights`, `.h5`",
    "model.h5": "`.h5` model",
    "saved_model": "SavedModel",
    "model.keras": "`.keras` model",
}


def text(matrix: Matrix) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(matrix)) + "\n"


def others(matrix: Matrix) -> list[str]:
    """The sides that this package exchanges with, oldest first."""
    names = {name.split(" to ")[0] for name in matrix} - {HERE, STOCK}
    return [*sorted(names, key=lambda name: [int(part) for part in name.split(".")]), STOCK]


def control(saver: str, loader: str) -> str:
    """The pair in which tf-keras takes this package's place."""
    return pair(*(STOCK if side == HERE else side for side in (saver, loader)))


def _lines(matrix: Matrix) -> Iterator[str]:
    yield "<!-- Made by `python -m tests.exchange.page`; do not edit. -->"
    sides = others(matrix)
    to_here, from_here = [(side, HERE) for side in sides], [(HERE, side) for side in sides]
    yield from _summary(matrix, [*to_here, *from_here])
    yield from _table("Saved there, loaded here", sides, to_here, matrix)
    yield from _table("Saved here, loaded there", sides, from_here, matrix)
    yield from _exceptions(matrix, [*to_here, *from_here])


def _summary(matrix: Matrix, pairs: list[tuple[str, str]]) -> Iterator[str]:
    verdicts = [Verdict.from_json(one) for two in pairs for one in matrix[pair(*two)].values()]
    kinds = Counter(verdict.kind for verdict in verdicts)
    closest = max((verdict.difference for verdict in verdicts), default=0.0)
    yield (
        f"Of {len(verdicts):,} exchanges, {kinds['same']:,} go on with the same bits, "
        f"{kinds['close']:,} within {closest:.0e} of a value or of 1, {kinds['as its saver']:,} as "
        f"the saver and {kinds['as its loader']:,} as the loader does with a file of its own; "
        f"{kinds['differs']:,} go on otherwise and {kinds['fails']:,} fail."
    )


def _table(
    title: str, sides: list[str], pairs: list[tuple[str, str]], matrix: Matrix
) -> Iterator[str]:
    yield ""
    yield f"| {title} | Optimizers | {' | '.join(sides)} |"
    yield f"| {' | '.join(['---'] * (len(sides) + 2))} |"
    for form, words in _TITLES.items():
        for (mode, api), optimizers in _APIS.items():
            cells = [_counts(_of_row(matrix[pair(*two)], mode, api, form)) for two in pairs]
            if any(cells):
                yield f"| {words} | {optimizers} | {' | '.join(c or '-' for c in cells)} |"


def _of_row(of_pair: dict[str, dict[str, object]], mode: str, api: str, form: str) -> list[Verdict]:
    return [
        Verdict.from_json(value)
        for cell, value in of_pair.items()
        if cell.startswith(f"{mode} / {api} / ") and cell.endswith(f" / {form}")
    ]


def _counts(verdicts: list[Verdict]) -> str:
    counts = Counter(verdict.kind for verdict in verdicts)
    return ", ".join(
        f"{counts[kind]} {kind}" for kind in (*GOOD, "differs", "fails") if counts[kind]
    )


def _exceptions(matrix: Matrix, pairs: list[tuple[str, str]]) -> Iterator[str]:
    """What does not go on, grouped by what happens."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for saver, loader in pairs:
        of_pair: dict[tuple[str, ...], list[str]] = {}
        for cell, value in matrix[pair(saver, loader)].items():
            verdict = Verdict.from_json(value)
            if verdict.kind in GOOD:
                continue
            mode, api, training, form = cell.split(" / ")
            what = _words(verdict)
            instead = _words(Verdict.from_json(matrix[control(saver, loader)][cell]))
            row = (f"{_TITLES[form]}, {_APIS[mode, api]}", what, instead)
            of_pair.setdefault(row, []).append(training)
        for (form, *rest), trainings in of_pair.items():
            key = (form, "; ".join(trainings), *rest)
            rows.setdefault(key, []).append(pair(saver, loader))
    if rows:
        yield ""
        yield "| Format | Trainings | Exchange | What happens | tf-keras in this package's place |"
        yield "| --- | --- | --- | --- | --- |"
        for (form, trained, what, instead), exchanges in rows.items():
            same = "the same" if instead == what else instead
            yield f"| {form} | {trained} | {', '.join(exchanges)} | {what} | {same} |"


def _words(verdict: Verdict) -> str:
    if verdict.kind == "fails":
        return f"fails: `{_short(verdict.error)}`"
    if verdict.kind in ("same", "close"):
        return f"{verdict.kind}"
    return f"{verdict.kind}: {', '.join(verdict.parts)}"


def _short(error: str) -> str:
    """The beginning of an error, as a table cell takes it."""
    error = error.replace("|", "/").replace("`", "'")
    return error if len(error) <= 100 else f"{error[:97]}..."


def main() -> None:
    """Writes the page's part."""
    PAGE.write_text(text(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
