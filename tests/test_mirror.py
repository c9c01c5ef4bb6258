# SPDX-License-Identifier: Apache-2.0
"""Each module has a test file of its name in the folder that mirrors its room, or is listed here.

Listed modules are parts of something larger: the behavior is that of the whole, and the tests are
in the file that states it. The name of that file comes with each module.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

from tests.support import REPOSITORY

TESTS: Final = REPOSITORY / "tests"
MIRRORS: Final = {
    REPOSITORY / "compat_lossscale": TESTS,
    REPOSITORY / "codemods" / "lossscale_codemods": TESTS / "codemods",
}

SHIM: Final = {
    # Public names, and lists of names, without behavior.
    "_version": "test_package.py",
    "callbacks": "watching/test_loss_scale_logger.py",
    "equivalence": "equivalence/test_optimizers.py",
    "experimental": "test_package.py",
    "v1": "test_package.py",
    "neighbour_names/keras_names": "legacy/test_keras_modules.py",
    # What the old names give: the tests import them as old programs do.
    "legacy/changed_behaviour": "legacy/test_changed_signatures.py",
    "legacy/library_functions": "legacy/test_numpy_names.py",
    # They run before a program, in its process: the tests start one.
    "legacy/_site/sitecustomize": "cli/test_run.py",
    "legacy/program": "cli/test_run_as_python.py",
    "legacy/startup": "cli/test_run_as_python.py",
    "legacy/waiting": "legacy/test_deferred.py",
    # The front end of Keras 3 as a whole, on the backend in use.
    "keras3/backends/stateless": "keras3/test_jax.py",
    "keras3/backends/tensorflow": "keras3/test_tensorflow.py",
    "keras3/arguments": "keras3/test_optimizer.py",
    # Parts of the optimizers and their classes.
    "policies": "policies/test_policy.py",
    "tf1": "tf1/test_optimizer.py",
}
CODEMOD: Final = {
    # Parts of the analysis, which rules see as one: what it proves shows in what they rewrite.
    "python/scopes": "python/test_reaching_definitions.py",
    "domain/loss_scale_values": "rules/test_ls201_constructors.py",
    "source/notebook_cells": "running/test_notebook.py",
    "domain/program": "rewriting/test_bindings.py",
    "source/syntax_tree": "rewriting/test_guard_collapsing.py",
    # Parts of the engine: a test migrates a source and compares the text and the records.
    "rewriting/engine": "rewriting/test_fixes.py",
    "running/one_file": "running/test_processes.py",
    "reports/machine_formats": "reports/test_sarif.py",
    "reports/run_report": "reports/test_counts.py",
    # Values and lists that carry no behavior of their own.
    "tables/frameworks": "rules/test_ls212_optimizers_by_name.py",
    "tables/records": "reports/test_record_words.py",
    # Rules of one subject share a module; each rule has a test file of its own.
    "rules/loss_scale_reads": "rules/test_ls301_loss_scale_calls.py",
    "rules/neighbours": "rules/test_ls902_tensorflow.py",
    "rules/optimizer_family": "rules/test_ls211_optimizer_family.py",
    "rules/guards": "rules/test_ls701_guards.py",
    "rules/kept_state": "rules/test_ls521_kept_state.py",
    "rules/constructors": "rules/test_ls201_constructors.py",
    "rules/policies": "rules/test_ls502_policy_objects.py",
    "rules/texts": "rules/test_ls802_strings.py",
    "rules/old_names": "rules/test_ls205_passed_on.py",
    # What several rules share is tested through the rule that uses most of it.
    "rules/loss_scale_arguments": "rules/test_ls201_constructors.py",
    "rules/keras_3": "rules/test_ls221_keras_3_optimizers.py",
    "rules/keras_3_conditions": "rules/test_ls911_keras_3_api.py",
    "rules/keras_3_optimizers": "rules/test_ls221_keras_3_optimizers.py",
}
LISTED: Final = {
    **{REPOSITORY / "compat_lossscale" / name: TESTS / file for name, file in SHIM.items()},
    **{
        REPOSITORY / "codemods" / "lossscale_codemods" / name: TESTS / "codemods" / file
        for name, file in CODEMOD.items()
    },
}


def modules() -> list[Path]:
    """The modules of both packages, without their suffix."""
    return [
        path.with_suffix("")
        for package in MIRRORS
        for path in sorted(package.rglob("*.py"))
        if path.name not in {"__init__.py", "__main__.py"}
    ]


def mirrored(module: Path) -> bool:
    """Whether a module has the test file of its name."""
    package = next(package for package in MIRRORS if package in module.parents)
    *folders, name = module.relative_to(package).parts
    return MIRRORS[package].joinpath(*folders, f"test_{name.lstrip('_')}.py").is_file()


def test_each_module_has_its_test_file_or_is_listed() -> None:
    neither = {module for module in modules() if not mirrored(module)} - LISTED.keys()
    assert neither == set()


def test_a_module_with_its_test_file_is_not_listed() -> None:
    assert {module for module in LISTED if mirrored(module)} == set()


def test_the_list_names_modules_and_test_files_that_are_there() -> None:
    assert set(LISTED) <= set(modules())
    for file in sorted(set(LISTED.values())):
        functions = [
            node
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.FunctionDef)
        ]
        assert any(function.name.startswith("test_") for function in functions), file
