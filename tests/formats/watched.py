# SPDX-License-Identifier: Apache-2.0
"""Verifies one artefact under watch, and prints what happened as JSON.

    python -m tests.formats.watched ARTEFACT

An audit hook, here and in the process that reads files, notes everything that executes,
imports or loads code, starts a program, uses the network, or opens or changes files where the
artefact is not. What the verifier imports on first use is imported before.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

CPU_SECONDS = 60
"""What verifying one artefact may take at most; the HDF5 process has a time-out of its own."""
ADDRESS_SPACE = 6 * 2**30
"""So that an attack that succeeds does not take the machine down."""
FORBIDDEN = (
    *("exec", "compile", "import", "marshal.", "pickle.", "ctypes.", "code.__new__"),
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"),
    *("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.", "ssl."),
    *("os.remove", "os.rename", "os.link", "os.symlink", "os.chmod", "os.truncate", "shutil."),
)


def watch(folder: str, log: str) -> None:
    """Notes each forbidden event in a file, one line each, from now on."""
    note = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    temporary = tempfile.gettempdir()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path = arguments[0]
            if not isinstance(path, str | bytes | os.PathLike):
                return
            place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # resolves no links
            own = place.startswith((folder, f"{temporary}/tmp"))
            if own or place == "/dev/null":
                return
        elif not event.startswith(FORBIDDEN) or (
            event.startswith(("os.", "shutil.")) and _concerns_a_temporary(arguments, temporary)
        ):
            return
        os.write(note, f"{event} {arguments!r:.200}\n".encode())

    sys.addaudithook(hook)


def _concerns_a_temporary(arguments: tuple[Any, ...], temporary: str) -> bool:
    """Whether paths are of temporary files, or relative to a folder that is open already."""
    paths = [os.fsdecode(a) for a in arguments if isinstance(a, str | bytes | os.PathLike)]
    in_open_folder = arguments[-1] if isinstance(arguments[-1], int) else -1
    return in_open_folder >= 0 or all(path.startswith(f"{temporary}/tmp") for path in paths)


def watch_reading(folder: str, log: str) -> None:
    """Watches the process that reads files, which has read one of each format by then."""
    from compat_lossscale.formats import isolated
    from compat_lossscale.formats.verification import verify_here
    from tests.formats.samples import ARTEFACTS

    # A SavedModel's variables, an archive's weights and a checkpoint are read by different modules.
    for name in ("model.h5", "model.keras", "saved_model", "checkpoint-1", "configs.json"):
        result = verify_here(str(ARTEFACTS / "2.21" / name), ["keras3"], False)
        json.dumps(result, default=isolated.plain)
    "\0".encode("unicode_escape")
    watch(folder, log)


def main() -> None:
    """Runs from the command line."""
    from compat_lossscale.cli.verify import text_of
    from compat_lossscale.formats import isolated
    from compat_lossscale.formats.verification import as_json, verify_artefact
    from tests.formats.samples import ARTEFACTS

    target = Path(sys.argv[1])
    folder, log = str(target.parent.absolute()), os.environ["WATCH_LOG"]
    json.dumps(as_json([verify_artefact(str(ARTEFACTS / "2.21" / "model.h5"))]))
    list(text_of([verify_artefact(str(ARTEFACTS / "none"))]))
    isolated.READER.stop()
    isolated._START = isolated._START.replace(
        "serve()",
        f"from tests.formats.watched import watch_reading; watch_reading({folder!r}, {log!r}); "
        "serve()",
    )
    isolated.READER.start()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    # Opened before anything is watched. Not getrusage: its maximum counts the starting process.
    status = os.open("/proc/self/status", os.O_RDONLY)
    watch(folder, log)
    os.chdir(folder)
    result = verify_artefact(str(target))
    lines = list(text_of([result]))
    json.dumps(as_json([result]), allow_nan=False)
    isolated.READER.stop()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "status": result.status.value,
                "error": result.error,
                "printed": sum(map(len, lines)),
                "printable": all(line.isprintable() for line in lines),
                "memory": _peak(os.pread(status, 10_000, 0).decode()),
                "memory_hdf5": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
                "seconds": usage.ru_utime + usage.ru_stime,
            }
        )
    )


def _peak(status: str) -> int:
    """The most memory that a process took, in bytes, of its `/proc/self/status`."""
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
