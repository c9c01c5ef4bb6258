# SPDX-License-Identifier: Apache-2.0
r"""The same rules under libcst's own runner.

    python -m libcst.tool codemod --no-format -x \
        lossscale_codemods.command.MigrateLossScaleCommand src
"""  # noqa: D208  # an example, indented

from __future__ import annotations

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from lossscale_codemods.reports.run_report import advice_of
from lossscale_codemods.running.one_file import migrate
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Options, Selection
from lossscale_codemods.tables.records import Status


class MigrateLossScaleCommand(CodemodCommand):
    """Moves old loss-scale APIs of TensorFlow to the one that stayed."""

    DESCRIPTION = "Moves old loss-scale APIs of TensorFlow to the one that stayed."

    def __init__(
        self,
        context: CodemodContext,
        target: str = "tf-keras",
        collapse_guards: bool = False,
        unsafe_fixes: bool = False,
        new_optimizers: bool = False,
    ) -> None:
        super().__init__(context)
        self.options = Options(
            Target(target),
            Selection(),
            collapse_guards=collapse_guards,
            unsafe_fixes=unsafe_fixes,
            legacy_optimizers=False if new_optimizers else None,
        )

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Adds this command's options to the runner's."""
        targets = [target.value for target in Target]
        arg_parser.add_argument("--target", choices=targets, default=Target.TF_KERAS.value)
        arg_parser.add_argument("--collapse-guards", action="store_true")
        arg_parser.add_argument("--unsafe-fixes", action="store_true")
        arg_parser.add_argument("--new-optimizers", action="store_true")

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Returns the migrated module; what needs review becomes a warning of the runner."""
        result = migrate(tree.bytes, self.options)
        if result.problem:
            self.warn(f"{result.status.value}: {result.problem}")
        for record in result.records:
            if record.is_finding and result.status is not Status.REFUSED:
                self.warn(
                    f"{record.line}:{record.column}: {record.rule} {record.name}: "
                    f"{record.message}. {advice_of(record)}"
                )
        return cst.parse_module(result.output) if result.changed else tree
