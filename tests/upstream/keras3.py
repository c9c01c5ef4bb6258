# SPDX-License-Identifier: Apache-2.0
"""Runs Keras 3's own tests with this package's LossScaleOptimizer in place of Keras' own.

    python -m tests.upstream.keras3 [--keras3 keras.git] [--backend jax] [--wrapped] [--record]
        [SUITE ...]

Keras' wheel has its tests in it. Each suite runs in a process of its own, on each backend that is
installed, once with Keras' own class and once with ours. What passes with theirs has to pass with
ours, or needs a ruling in `keras3_rulings.json`. One suite is in Keras' repository only.

With `--wrapped`, the suites are those that train and save models, and the optimizer of every
`Model.compile` is wrapped: in Keras' own class, and in ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests import forked_python

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("keras3.md")
RULINGS = Path(__file__).with_name("keras3_rulings.json")
PLUGIN = "tests.upstream.keras3_plugin"
WRAPPING_PLUGIN = "tests.upstream.keras3_wrapping_plugin"
HOW_TO_GET = "git clone --bare https://github.com/keras-team/keras keras.git"
SUITES = (
    "keras.src.optimizers.loss_scale_optimizer_test",
    "keras.src.optimizers.optimizer_test",
    "keras.src.optimizers.optimizer_sparse_test",
    "keras.src.optimizers.multi_optimizer_test",
    "keras.src.dtype_policies.dtype_policy_test",
    "keras.src.dtype_policies.dtype_policy_map_test",
    "keras.src.trainers.trainer_test",
    "keras.src.callbacks.swap_ema_weights_test",
)
"""Modules of Keras' wheel."""
WRAPPED_SUITES = tuple(
    f"keras.src.{name}_test"
    for name in (
        "trainers.trainer",
        "trainers.compile_utils",
        "trainers.data_adapters.tf_dataset_adapter",
        "backend.tensorflow.distribute",
        "backend.tensorflow.optimizer_distribute",
        "backend.tensorflow.saved_model",
        "backend.jax.trainer",
        "backend.jax.distribution_lib",
        "distribution.distribution_lib",
        "saving.saving_lib",
        "saving.saving_api",
        "saving.file_editor",
        "saving.serialization_lib",
        "legacy.saving.legacy_h5_format",
        "export.saved_model",
        "models.model",
        "models.functional",
        "models.sequential",
        "models.cloning",
        "distillation.distiller",
        "callbacks.backup_and_restore",
        "callbacks.early_stopping",
        "callbacks.lambda_callback",
        "callbacks.learning_rate_scheduler",
        "callbacks.model_checkpoint",
        "callbacks.reduce_lr_on_plateau",
        "callbacks.swap_ema_weights",
        "callbacks.tensorboard",
        "callbacks.terminate_on_nan",
    )
)
"""Modules that train or save models."""
WRAPPED = "wrapped: "
"""Before a suite's name in the table, and before a test's name in a ruling."""
IN_REPOSITORY = "integration_tests/tf_distribute_training_test.py"
"""A file of Keras' repository. It is of TensorFlow alone."""
SECONDS = 3600
"""What one suite may take."""


def run(
    suite: str, backend: str, *, ours: bool, wrapped: bool = False, repository: Path | None = None
) -> dict[str, str]:
    """Runs one suite.

    Args:
        suite: One of `SUITES` or `WRAPPED_SUITES`, or `IN_REPOSITORY`.
        backend: The backend of Keras.
        ours: Whether to put this package's class in place of Keras' own.
        wrapped: Whether to wrap the optimizer of every `Model.compile` in that class.
        repository: Keras' git repository, for `IN_REPOSITORY`.

    Returns:
        `passed`, `failed` or `skipped`, by the name of the test.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        report = folder / "report.xml"
        what = ["--pyargs", suite]
        if suite == IN_REPOSITORY:
            source = subprocess.run(
                ["git", "-C", str(repository), "show", f"HEAD:{suite}"],
                capture_output=True,
                check=True,
            ).stdout
            (folder / Path(suite).name).write_bytes(source)
            what = [str(folder / Path(suite).name)]
        arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
        arguments += ["-p", PLUGIN] if ours else []
        arguments += ["-p", WRAPPING_PLUGIN] if wrapped else []
        done = subprocess.run(
            forked_python.command(*arguments, f"--rootdir={folder}", f"--junitxml={report}", *what),
            cwd=ROOT,
            env={
                **os.environ,
                "KERAS_BACKEND": backend,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods"))),
            },
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        if not report.exists():
            sys.exit(f"{suite} on {backend}: pytest wrote no report.\n{done.stdout}{done.stderr}")
        return _outcomes(report)


def _outcomes(report: Path) -> dict[str, str]:
    outcomes = {}
    for case in ET.parse(report).iter("testcase"):
        tags = {child.tag for child in case}
        outcome = "failed" if tags & {"failure", "error"} else "passed"
        name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}"
        outcomes[name] = "skipped" if "skipped" in tags else outcome
    return outcomes


def worse(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """Returns the tests that pass with Keras' own class and not with ours."""
    return [name for name, one in theirs.items() if one == "passed" != ours.get(name)]


def rulings() -> dict[str, str]:
    """Returns why a test may fail with ours, by `backend name`."""
    found: dict[str, str] = json.loads(RULINGS.read_text("utf-8"))
    return found


def complaints(
    backend: str, theirs: Mapping[str, str], ours: Mapping[str, str], prefix: str = ""
) -> list[str]:
    """Returns what is wrong: tests without a ruling that fail, and rulings on tests that pass.

    Args:
        backend: The backend of Keras.
        theirs: The outcomes with Keras' own class, by the names of the tests.
        ours: The outcomes with this package's.
        prefix: What the rulings' names of the tests begin with.
    """
    known = rulings()
    failing = worse(theirs, ours)
    wrong = [f"{name} fails" for name in failing if f"{backend} {prefix}{name}" not in known]
    for name in ours:
        if f"{backend} {prefix}{name}" in known and name not in failing:
            wrong.append(f"{name} passes, but has a ruling")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the suites that are asked for. Returns 1 if one has a complaint, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keras3", type=Path, help=f"Keras' repository: {HOW_TO_GET}")
    parser.add_argument("--backend", choices=("tensorflow", "jax", "torch"))
    parser.add_argument(
        "--record", action="store_true", help="write the documentation's table; other rows stay"
    )
    parser.add_argument(
        "--wrapped", action="store_true", help="wrap the optimizer of every Model.compile"
    )
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="part of a suite's name")
    options = parser.parse_args(arguments)
    backends = [
        one
        for one in ("tensorflow", "jax", "torch")
        if options.backend in (None, one) and importlib.util.find_spec(one)
    ]
    suites = [*SUITES, *([IN_REPOSITORY] if options.keras3 else [])]
    if options.wrapped:
        suites = list(WRAPPED_SUITES)
    prefix = WRAPPED if options.wrapped else ""
    rows = recorded_rows()
    wrong = []
    for suite in [one for one in suites if not options.suites or _named(one, options.suites)]:
        for backend in backends if suite != IN_REPOSITORY else ["tensorflow"]:
            theirs, ours = (
                run(
                    suite, backend, ours=is_ours, wrapped=options.wrapped, repository=options.keras3
                )
                for is_ours in (False, True)
            )
            found = complaints(backend, theirs, ours, prefix)
            wrong += found
            counts = [list(one.values()).count("passed") for one in (theirs, ours)]
            name = prefix + suite.removeprefix("keras.src.")
            if counts[0]:  # Some suites are of one backend.
                rows[name, backend] = (str(counts[0]), str(counts[1]))
            print(f"{name:45} {backend:10} {counts[0]:5} {counts[1]:5}", *found, flush=True)
            if options.record:
                TABLE.write_text(table(rows), encoding="utf-8")
    return bool(wrong)


def recorded_rows() -> dict[tuple[str, str], tuple[str, str]]:
    """Returns the counts in the documentation's table, by suite and backend."""
    if not TABLE.exists():
        return {}
    found = re.findall(
        r"^\| `([^`]+)` \| (\w+) \| (\d+) \| (\d+) \|$", TABLE.read_text("utf-8"), re.M
    )
    return {(suite, backend): (theirs, ours) for suite, backend, theirs, ours in found}


def table(rows: Mapping[tuple[str, str], tuple[str, str]]) -> str:
    """Returns the documentation's tables: the counts, and why tests may fail.

    Args:
        rows: The counts with Keras' own class and with ours, by suite and backend.
    """
    names = [one.removeprefix("keras.src.") for one in (*SUITES, IN_REPOSITORY)]
    names += [WRAPPED + one.removeprefix("keras.src.") for one in WRAPPED_SUITES]
    lines = [
        "<!-- Made by `python -m tests.upstream.keras3 --record`; do not edit. -->",
        "| Suite | Backend | Pass with Keras' own | Pass with ours |",
        "| --- | --- | ---: | ---: |",
    ]
    for suite, backend in sorted(rows, key=lambda one: (names.index(one[0]), -ord(one[1][0]))):
        theirs, ours = rows[suite, backend]
        lines.append(f"| `{suite}` | {backend} | {theirs} | {ours} |")
    lines += ["", "| Test that fails | Backend | Why |", "| --- | --- | --- |"]
    for test, why in rulings().items():
        backend, _, name = test.partition(" ")
        lines.append(f"| `{name}` | {backend} | {why} |")
    return "\n".join(lines) + "\n"


def _named(suite: str, parts: Sequence[str]) -> bool:
    return any(part in suite for part in parts)


if __name__ == "__main__":
    sys.exit(main())
