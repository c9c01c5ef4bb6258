# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.upstream import rulings, run
from tests.upstream.suites import Suite

SUITE = Suite(
    "keras/sample_test", "keras", "HEAD", "keras/sample_test.py", ("v2",), (2,), "keras/data"
)
SAMPLE = """
import tensorflow as tf
from keras.mixed_precision import loss_scale_optimizer
from keras.optimizer_v2 import gradient_descent

class SampleTest(tf.test.TestCase):
  def test_wraps(self):
    opt = loss_scale_optimizer.LossScaleOptimizerV1(gradient_descent.SGD(), 8.)
    self.assertEqual(opt.loss_scale(), 8.)
    self.assertLen(tf.config.list_logical_devices('CPU'), 2)
    strategy = tf.distribute.MirroredStrategy(['cpu:0'])
    self.assertEqual(strategy.num_replicas_in_sync, 2)

  def test_fails(self):
    self.fail('why')

  def test_skips(self):
    self.skipTest('reason')

if __name__ == '__main__':
  tf.test.main()
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "upstream"
    (path / "keras" / "data").mkdir(parents=True)
    (path / SUITE.path).write_text(SAMPLE, encoding="utf-8")
    (path / "keras" / "data" / "one").write_bytes(b"\0\1")
    for arguments in (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=all"],
    ):
        subprocess.run(["git", "-C", path, *arguments], check=True)
    return path


def test_a_file_of_upstreams_runs_against_this_packages_classes(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = [rulings.Ruling((SUITE.runs()[0].name,), ("*.test_fails",), "why")]
    arguments = ["--keras", str(repository), "--keep", str(tmp_path / "kept")]
    outcomes: list[dict[str, dict[str, str]]] = []

    def run_once(one: Any, file: Path, tests: Any = ()) -> dict[str, dict[str, str]]:
        outcomes.extend([] if outcomes else [run_a_file(one, file, tests)])
        return outcomes[0]

    run_a_file = run.run
    with mock.patch.object(run, "SUITES", (SUITE,)), mock.patch.object(run, "run", run_once):
        assert run.main(arguments) == 1
        with mock.patch.object(rulings, "load", return_value=known):
            assert run.main(arguments) == 0
    _, unruled, reason, _, ruled = capsys.readouterr().out.splitlines()
    assert unruled.split() == ["keras/sample_test", "v2", "2", "1", "2", "0", "1"]
    assert reason.strip() == "SampleTest.test_fails: AssertionError: why"
    assert ruled.split() == ["keras/sample_test", "v2", "2", "1", "2", "1", "0"]
    assert (tmp_path / "kept" / run.DATA_ROOT / "keras" / "data" / "one").read_bytes() == b"\0\1"


def test_without_a_repository_it_says_how_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main([])
    assert "git clone" in capsys.readouterr().err


def test_a_commit_that_is_not_there_is_named(repository: Path) -> None:
    suite = Suite("keras/sample_test", "keras", "v0", SUITE.path)
    with pytest.raises(SystemExit, match=r"v0:keras/sample_test\.py"):
        run.extract(suite.runs()[0], repository, repository)
