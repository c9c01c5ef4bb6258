# SPDX-License-Identifier: Apache-2.0
"""Private names stand behind probes, and nothing needs them; nor the core's faster path."""

from __future__ import annotations

import ast

import pytest

from tests.support import REPOSITORY, python
from tests.without_private_names import FAULTS, PRIVATE

PROBING = {"core/native.py", "optimizers/stock.py"}
"""The modules that may look private names up."""
CHECKED = (
    "tests/core",
    "tests/optimizers",
    "tests/policies/test_policy.py",
    "tests/policies/test_compile_wrapping.py",
)


def private_names_in(source: str) -> set[str]:
    """What code imports or reaches for beyond the public names, and calls of `probe`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith(PRIVATE)}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PRIVATE):
            found.add(str(node.module))
        elif isinstance(node, ast.Attribute):
            written = ast.unparse(node)
            if node.attr == "__internal__" or written in (*PRIVATE, "tf.python", "tf.core"):
                found.add(written)
        elif isinstance(node, ast.Call) and node.args:
            called, first = ast.unparse(node.func).rpartition(".")[2], ast.unparse(node.args[0])
            if called == "probe":
                found.add(f"probe({first})")
            elif called == "import_module" and first.strip("'").startswith(PRIVATE):
                found.add(first)
    return found


def test_private_names_are_looked_up_in_two_modules_and_imported_in_none() -> None:
    package = REPOSITORY / "compat_lossscale"
    found = {
        str(path.relative_to(package)): private_names_in(path.read_text())
        for path in package.rglob("*.py")
    }
    assert {path for path, names in found.items() if names} <= PROBING
    # In those two, behind a probe.
    for path in PROBING:
        assert all(name.startswith("probe(") for name in found.get(path, set())), path


def test_the_reader_of_source_sees_every_way_to_a_private_name() -> None:
    for line in (
        "from tensorflow.python.eager import context",
        "def f():\n    import tensorflow.core.framework.function_pb2",
        "tf_keras.src.backend",
        "tf.__internal__.tracking.Trackable",
        "importlib.import_module('tensorflow.python.ops')",
        "probe('tf_keras.src', 'backend')",
    ):
        assert private_names_in(line), line
    assert not private_names_in('"""Like tf.__internal__."""\nx = "tensorflow.python.keras"')


def passes(*arguments: str, **variables: str) -> None:
    """Runs every so many of the tests in another process, in which they have to pass."""
    done = python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *CHECKED, *arguments),
        cwd=REPOSITORY,
        timeout=600,
        environment={"TF_USE_LEGACY_KERAS": "1", "WHOLE_GRIDS": "yes", "EVERY": "205", **variables},
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", FAULTS)
def test_without_any_private_name_tests_pass(how: str) -> None:
    """Every so many of them; `make nightly` runs all, and programs too."""
    passes("-p", "tests.without_private_names", PRIVATE_NAMES=how)
