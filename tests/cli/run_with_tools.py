# SPDX-License-Identifier: Apache-2.0
"""Debuggers, profilers, test runners and notebooks, with `compat-lossscale run` on either side.

    python -m tests.cli.run_with_tools

makes a throw-away environment with them. Notebooks take TensorFlow from this Python's environment.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = ("click", "coverage", "debugpy", "ipykernel", "nbclient", "pytest")
PROGRAM = """\
import sys
def f(x):
    y = x + 1
    return y
print(f(1), sys.argv, __name__)
"""
TEST = "def test():\n    import compat_lossscale\n"
RAN = r"2 \['program.py', 'a'\] __main__"
RUN = "-m compat_lossscale run"
# What follows python | what is given to it | what it says.
LINES = (
    (f"{RUN} -m pytest -q test_it.py", "", "1 passed"),
    (f"{RUN} -m coverage run program.py a", "", RAN),
    ("-m coverage report", "", r"program.py +5 +0 +100%"),
    (f"-m coverage run --include program.py {RUN} program.py a", "", RAN),
    ("-m coverage report", "", r"program.py +5 +0 +100%"),
    (f"{RUN} -m cProfile program.py a", "", rf"(?s){RAN}.*program.py:2\(f\)"),
    (f"-m cProfile {RUN} program.py a", "", rf"(?s){RAN}.*program.py:2\(f\)"),
    (f"{RUN} -m pdb program.py a", "b 3\nc\np x + 41\nc\nq\n", rf"(?s)42.*{RAN}.*finished"),
    (f"-m pdb {RUN} program.py a", "b program.py:3\nc\np x + 41\nc\nq\n", rf"(?s)42.*{RAN}"),
    (f"{RUN} -m IPython program.py a", "", r"2 \['[^']*program.py', 'a'\] __main__"),
)
OLD_NAMES = (
    "import tensorflow as tf\n"
    "from tensorflow.keras.mixed_precision import experimental\n"
    "print(experimental.LossScaleOptimizer.__name__, tf.keras.__file__.count('tf_keras'))\n"
)
# The cells of a notebook, and what each says.
NOTEBOOKS = (
    (
        ("%load_ext compat_lossscale\nimport sys\nprint('tensorflow' in sys.modules)", "False"),
        (OLD_NAMES, "LossScaleOptimizer 1"),
        ("%reload_ext compat_lossscale", ""),
        (OLD_NAMES, "LossScaleOptimizer 1"),
        ("%unload_ext compat_lossscale\nprint(hasattr(tf.train, 'experimental'))", "True"),
        ("print(hasattr(tf.keras.mixed_precision, 'experimental'))", "False"),
    ),
    (
        ("import compat_lossscale\ncompat_lossscale.install()", ""),
        (OLD_NAMES, "LossScaleOptimizer 1"),
    ),
)
NOTEBOOK_CODE = """\
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook(
    cells=[nbformat.v4.new_code_cell(cell) for cell in json.load(sys.stdin)]
)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
said = [[o["text"] for o in c.outputs if o.get("name") == "stdout"] for c in notebook.cells]
print(json.dumps(["".join(texts) for texts in said]))
"""


def check_lines(python: str, folder: Path, variables: dict[str, str]) -> list[str]:
    """Runs the tools that end by themselves; returns what is wrong."""
    wrong = []
    for line, given, expected in LINES:
        done = subprocess.run(
            [python, *line.split()],
            cwd=folder, env=variables, input=given, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not re.search(expected, done.stdout):
            wrong.append(f"{line}: no {expected!r} in\n{done.stdout}{done.stderr}")
    return wrong


class Client:
    """What an editor is to a debugger. https://microsoft.github.io/debug-adapter-protocol/"""

    def __init__(self, port: int) -> None:
        for _ in range(600):
            try:
                self._file = socket.create_connection(("127.0.0.1", port)).makefile("rwb")
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("the debugger does not listen")

    def ask(self, command: str, **arguments: Any) -> None:
        """Sends a request."""
        request = {"seq": 1, "type": "request", "command": command, "arguments": arguments}
        content = json.dumps(request).encode()
        self._file.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self._file.flush()

    def wait_for(self, name: str) -> Any:
        """Reads until an event, or the answer to a command, and returns it."""
        while True:
            length = 0
            while line := self._file.readline().strip():
                length = int(line.split(b":")[1])
            message = json.loads(self._file.read(length))
            if name in (message.get("event"), message.get("command")):
                return message.get("body", {})


def check_debugger(command: Sequence[str], folder: Path, variables: dict[str, str]) -> list[str]:
    """Stops at a breakpoint of the program, and reads a variable; returns what is wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [one.replace("PORT", str(port)) for one in command],
        cwd=folder, env=variables, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    client = Client(port)
    client.ask("initialize", adapterID="test")
    client.ask("attach", justMyCode=False)
    client.wait_for("initialized")
    source = {"path": str(folder / "program.py")}
    client.ask("setBreakpoints", source=source, breakpoints=[{"line": 3}])
    client.ask("configurationDone")
    thread = client.wait_for("stopped")["threadId"]
    client.ask("stackTrace", threadId=thread)
    frame = client.wait_for("stackTrace")["stackFrames"][0]
    client.ask("evaluate", expression="x + 41", frameId=frame["id"])
    seen = (frame["name"], frame["line"], client.wait_for("evaluate")["result"])
    client.ask("continue", threadId=thread)
    client.wait_for("terminated")
    client.ask("disconnect")
    out, _ = process.communicate(timeout=60)
    if seen == ("f", 3, "42") and re.search(RAN, out):
        return []
    return [f"{command}: {seen}, {out}"]


def check_notebooks(python: str, folder: Path, variables: dict[str, str]) -> list[str]:
    """Runs the notebooks; returns what is wrong."""
    wrong = []
    for cells in NOTEBOOKS:
        done = subprocess.run(
            [python, "-c", NOTEBOOK_CODE],
            cwd=folder, env=variables, input=json.dumps([code for code, _ in cells]),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            wrong.append(done.stderr)
            continue
        said = [text.splitlines()[-1:] for text in json.loads(done.stdout.splitlines()[-1])]
        expected = [[text] if text else [] for _, text in cells]
        if said != expected:
            wrong.append(f"{cells}: {said}\n{done.stderr}")
    return wrong


def main() -> int:
    """Checks all of it; returns how much is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        python = str(folder / "venv" / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *TOOLS], check=True)
        (folder / "program.py").write_text(PROGRAM)
        (folder / "test_it.py").write_text(TEST)
        ours = [str(REPOSITORY), str(REPOSITORY / "codemods")]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(ours), "IPYTHONDIR": name}
        variables |= {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "JUPYTER_DATA_DIR": name}
        variables.pop("TF_USE_LEGACY_KERAS", None)
        wrong = check_lines(python, folder, variables)
        debugger = ["-m", "debugpy", "--listen", "PORT", "--wait-for-client"]
        for first, second in ((RUN.split(), debugger), (debugger, RUN.split())):
            command = [python, *first, *second, "program.py", "a"]
            wrong += check_debugger(command, folder, variables)
        # TensorFlow is where this Python has it.
        variables["PYTHONPATH"] += os.pathsep + sysconfig.get_path("purelib")
        wrong += check_notebooks(python, folder, variables)
    count = len(LINES) + 2 + len(NOTEBOOKS)
    print(f"{count} ways to use tools, {len(wrong)} wrong", *wrong, sep="\n")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(bool(main()))
