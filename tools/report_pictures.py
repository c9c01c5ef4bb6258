# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of reports that the documentation shows.

They are of the project of the adoption tutorial, of a made-up run, and of the program that the
tutorial on proofs compares with TensorFlow 2.3, with a smaller learning rate.

    python tools/report_pictures.py

Needs Chromium.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "start.md"
MODEL = ROOT / "tests" / "artefacts" / "2.3" / "model.h5"
REPORTS = {
    "migrate-report.png": (["migrate", "src"], (1000, 1500)),
    "verify-report.png": (["verify", "models", "--to", "tf-keras"], (1000, 640)),
}
"""Each picture: the command that makes the report, and the window's width and height in pixels."""
RUN_PICTURE, RUN_SIZE = ROOT / "docs" / "loss-scale-report.png", (1000, 1210)
PROOF = ROOT / "docs" / "prove-your-migration.md"
PROOF_PICTURE, PROOF_SIZE = ROOT / "docs" / "compare-report.png", (1000, 1180)
RECORDING = ROOT / "tests" / "recording" / "recordings" / "function_loop-2.3.lsr"
RUN = """
from compat_lossscale import LossScaleRule, loss_scale_report
from compat_lossscale.spec import ScaleState, next_state

rule, state, skipped = LossScaleRule(growth_steps=200), ScaleState(2.0**15, 0), 0
names = ("step", "loss_scale", "skipped_steps")
history = {name: [] for name in names}
for step in range(1, 3001):
    good = state.scale <= 2**18 and not 1400 <= step < 1409
    skipped += not good
    state = next_state(state, good, rule.numbers)
    for name, value in zip(names, (step, state.scale, skipped)):
        history[name].append(value)
loss_scale_report(history, "report.html", rule=rule)
"""
"""Makes the report on a run that grows, overflows, and meets nine bad steps in a row."""
_FILE = re.compile(r"<!-- file: (\S+) -->\n```python\n(.*?)```", re.DOTALL)


def main() -> int:
    """Takes the pictures; returns 1 if there is no browser."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("No Chromium found. On Debian: apt-get install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        for path, text in _FILE.findall(TUTORIAL.read_text(encoding="utf-8")):
            (project / path).parent.mkdir(exist_ok=True)
            (project / path).write_text(text, encoding="utf-8")
        (project / "models").mkdir()
        shutil.copy(MODEL, project / "models")
        for picture, (command, size) in REPORTS.items():
            line = [sys.executable, "-m", "compat_lossscale", *command, "--html", "report.html"]
            subprocess.run(line, cwd=project, check=False, capture_output=True)
            _photograph(browser, project / "report.html", TUTORIAL.with_name(picture), size)
        subprocess.run([sys.executable, "-c", RUN], cwd=project, check=True)
        _photograph(browser, project / "report.html", RUN_PICTURE, RUN_SIZE)
        program = dict(_FILE.findall(PROOF.read_text(encoding="utf-8")))["train.py"]
        (project / "train.py").write_text(program.replace("Adam(0.01)", "Adam(0.005)"))
        shutil.copy(RECORDING, project / "before.lsr")
        ours = [sys.executable, "-m", "compat_lossscale"]
        run = [*ours, "run", "--record", "after.lsr", "--start-from", "before.lsr", "train.py"]
        subprocess.run(run, cwd=project, check=True)
        compare = [*ours, "compare", "before.lsr", "after.lsr", "--html", "report.html"]
        subprocess.run(compare, cwd=project, check=False)
        _photograph(browser, project / "report.html", PROOF_PICTURE, PROOF_SIZE)
    return 0


def _photograph(browser: str, page: Path, picture: Path, size: tuple[int, int]) -> None:
    width, height = size
    subprocess.run(
        [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--window-size={width},{height}",
            f"--screenshot={picture}",
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
    )


if __name__ == "__main__":
    sys.exit(main())
