# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md: each of its sentences has tests, and some of them are here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from compat_lossscale.cli import command_line
from tests.support import REPOSITORY

_ADVICE = ("Run only programs that you trust.", "What the program writes elsewhere, it writes.")
"""Sentences that promise nothing."""
_TESTS = """
execute the program that you name
    cli/test_run_as_python.py test_programs_do_the_same_under_both
`--prove` runs it in copies
    recording/test_proving.py test_what_is_not_proven_is_not_written
`import compat_lossscale` changes nothing
    test_package.py test_importing_the_package_has_no_side_effects
    legacy/test_install.py test_importing_without_installing_changes_nothing
`install()` and `run` change names
    legacy/test_install.py test_uninstall_leaves_tensorflow_exactly_as_found
executes none
    test_security.py test_neither_migrate_nor_doctor_runs_what_it_reads
It writes only with `--write`
    test_security.py test_neither_migrate_nor_doctor_runs_what_it_reads
writes each file completely
    codemods/running/test_writing.py test_whatever_fails_the_old_file_stays
    reliability/test_codemod.py test_an_attack_fails
never writes outside the folders
    codemods/running/test_writing.py test_links_are_followed_inside_and_refused_outside
never writes over what another
    codemods/running/test_writing.py test_a_file_that_changes_until_the_last_moment_is_refused
If a file crashes or hangs
    codemods/running/test_migrate_files.py test_what_crashes_the_parser_costs_no_other_file
    cli/test_unreachable.py
treats every artefact as hostile
    formats/test_hostile.py
builds, imports and executes nothing
    test_security.py test_verify_imports_nothing_that_a_file_names
reads nothing outside
    formats/test_reading.py test_links_that_leave_a_folder_are_not_walked
    formats/test_hdf5.py test_links_from_an_hdf5_file_to_another_are_not_followed
It unpacks nothing
    formats/test_keras_archive.py test_files_of_an_archive_that_point_outside
It limits its memory and time
    formats/test_keras_archive.py test_a_huge_list_of_files_is_refused
    formats/test_isolated.py test_a_file_on_which_a_library_hangs_is_unreadable
treats both recordings as hostile
    recording/test_reading.py test_wrong_content_is_refused_or_compared_and_never_crashes
It executes nothing, and limits
    recording/test_reading.py test_a_bomb_is_refused
it also reads the Python files
    cli/test_compare.py test_findings_near_the_difference_are_named
A recording has no training data
    recording/test_recorder.py test_values_are_kept_only_if_that_is_asked
For each variable it has a digest
    recording/test_recorder.py test_values_are_kept_only_if_that_is_asked
It has the lines
    recording/test_comparison.py test_printed_lines_count_unless_they_are_left_out
sends nothing and downloads nothing
    test_security.py test_no_module_can_use_the_network
The GitHub action executes nothing
    test_integrations.py test_the_action_runs_nothing_of_a_hostile_checkout
Besides this package, it installs only what
    test_integrations.py test_the_action_installs_nothing_whose_hash_is_another
    test_requirements.py test_no_release_candidate_is_pinned_and_every_pin_has_hashes
Loading a model
    optimizers/test_saving.py
"""
"""Words of each sentence, and below them the files of its tests, with a test or all."""
WORDS = re.findall(r"^\S.*", _TESTS, re.MULTILINE)
TESTS = sorted(set(re.findall(r"^ +(\S.*)", _TESTS, re.MULTILINE)))
_NETWORK = {
    *("ftplib", "http", "httpx", "requests", "smtplib", "socket", "ssl", "urllib"),
    *("webbrowser", "xmlrpc"),
}


def sentences() -> list[str]:
    text = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    items = re.findall(r"^- (.*(?:\n  .*)*)", text, re.MULTILINE)
    flat = (re.sub(r"\s+", " ", item) for item in items)
    return [one for item in flat for one in re.split(r"(?<=\.) (?=[A-Z`])", item)]


def test_every_sentence_has_tests_and_no_test_is_of_a_sentence_that_is_gone() -> None:
    promises = [one for one in sentences() if one not in _ADVICE]
    for promise in promises:
        assert [words for words in WORDS if words in promise], promise
    for words in WORDS:
        assert [promise for promise in promises if words in promise], words


@pytest.mark.parametrize("test", TESTS)
def test_the_tests_exist(test: str) -> None:
    path, _, function = test.partition(" ")
    assert f"def {function}" in (REPOSITORY / "tests" / path).read_text(encoding="utf-8")


def test_neither_migrate_nor_doctor_runs_what_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    taken = "from pathlib import Path\nPath('taken').touch()\n"
    old = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
    names = ("train.py", "conftest.py", "setup.py", "sitecustomize.py", "tensorflow.py", "click.py")
    for name in names:
        Path(name).write_text(taken + old)
    before = {path: path.read_bytes() for path in Path().iterdir()}
    for command in ("migrate", "doctor"):
        CliRunner().invoke(command_line, [command, "."])
        assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_verify_imports_nothing_that_a_file_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("evil.py").write_text("from pathlib import Path\nPath('taken').touch()\n")
    Path("config.json").write_text(
        '{"module": "evil", "class_name": "evil>Adam", "registered_name": "evil>Adam", "config":'
        ' {"inner_optimizer": {"module": "evil", "class_name": "Adam", "config": {}},'
        ' "dynamic": true}}'
    )
    CliRunner().invoke(command_line, ["verify", "config.json"])
    assert not Path("taken").exists()


@pytest.mark.parametrize("package", ["compat_lossscale", "codemods/lossscale_codemods"])
def test_no_module_can_use_the_network(package: str) -> None:
    for path in sorted((REPOSITORY / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                named = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                named = {(node.module or "").partition(".")[0]}
                if node.module == "urllib.parse":  # It only takes addresses apart.
                    continue
            else:
                continue
            assert not named & _NETWORK, (path, node.lineno)
