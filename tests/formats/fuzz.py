# SPDX-License-Identifier: Apache-2.0
"""Feeds the verifier mutated artefacts.

    python -m tests.formats.fuzz --count 10000 [--seed 0]

A mutated artefact may be unreadable; nothing may raise, hang, or print what is no text. The
artefacts are those of old TensorFlows, and models of many architectures, optimizers and formats.
Bytes are changed anywhere; and configs, entries and values are changed inside of their files with
the checksums put right, so that the change is read. A failure prints the seed that makes it again:
`--seed N --count 1`.
"""

from __future__ import annotations

import argparse
import collections
import copy
import json
import random
import re
import shutil
import struct
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py

from compat_lossscale.cli.verify import text_of
from compat_lossscale.formats.tensor_bundle import _block, _handle, _masked_crc
from compat_lossscale.formats.verification import as_json, verify_artefact
from tests.formats.samples import ARTEFACTS
from tests.models import running, zoo

SECONDS = 65.0
"""What one artefact may take: the time-out of the process that reads files and a little."""
SEEDS = (
    *(("config", ARTEFACTS / version / "configs.json") for version in ("2.3", "2.21")),
    *(("h5", ARTEFACTS / version / "model.h5") for version in ("2.0", "2.4", "2.21", "keras3")),
    *(("keras", ARTEFACTS / version / "model.keras") for version in ("2.15", "2.21", "keras3")),
    *(("checkpoint", ARTEFACTS / version / "checkpoint-1") for version in ("1.14", "2.3", "2.21")),
    *(("saved_model", ARTEFACTS / version / "saved_model") for version in ("2.0", "2.5", "2.21")),
    ("saver", ARTEFACTS / "2.3" / "saver"),
)
_TRAINED = {"settings": {"learning_rate": 0.0625}, "scale": "dynamic", "policy": "mixed_float16"}
_OPTIMIZERS = ("SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl")
Seed = tuple[str, Path]
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\x1b[2J",
    "dynamic",
    [],
    {},
    [[[]]],
    {"class_name": "Lambda", "config": {"function": "import os"}},
    {"class_name": "LossScaleOptimizer", "config": {}},
    {"class_name": 3, "config": {"loss_scale": []}},
)


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seeds = (*SEEDS, *trained_seeds(Path(folder), list(zoo.MODELS)))
        print(f"{len(seeds)} real artefacts in {time.monotonic() - started:.0f} s")
        started = time.monotonic()
        counts, failures = fuzz(options.count, options.seed, seeds)
    print(f"{options.count} mutated artefacts in {time.monotonic() - started:.0f} s")
    for (kind, status), count in sorted(counts.items()):
        print(f"  {kind}: {status}: {count}")
    print(f"{len(failures)} failures")
    for failure in failures[:10]:
        print(failure)
    return len(failures)


def trained_seeds(folder: Path, models: Sequence[str]) -> list[Seed]:
    """Trains models of many architectures with many optimizers, and saves them in every format.

    Args:
        folder: An empty folder.
        models: Their names in the zoo.

    Returns:
        The artefacts, each with its kind.
    """
    sides = {
        "compat_lossscale": (".keras", ".h5", ""),
        "compat_lossscale.keras3": (".keras", ".h5"),
    }
    kinds = {".keras": "keras", ".h5": "h5", "": "saved_model"}
    seeds: list[Seed] = []
    for side, suffixes in sides.items():
        tasks = []
        for number, model in enumerate(models):
            name = f"{side}-{number}"
            suffix = suffixes[number % len(suffixes)]
            path = folder / f"{name}{suffix}"
            optimizer = _OPTIMIZERS[number % len(_OPTIMIZERS)]
            task = {**_TRAINED, "do": "save", "name": name, "path": str(path), "model": model}
            tasks.append({**task, "optimizer": optimizer, "family": ""})
            seeds.append((kinds[suffix], path))
        one = running.Side(side, folder)
        one.start(tasks)
        one.wait()
        one.close()
    return [(kind, path) for kind, path in seeds if path.exists()]


def fuzz(
    count: int, seed: int, seeds: Sequence[Seed] = SEEDS
) -> tuple[collections.Counter[tuple[str, str]], list[str]]:
    """Verifies mutated artefacts.

    Args:
        count: How many.
        seed: Of the first; each further one has the next.
        seeds: The artefacts, each with its kind.

    Returns:
        How many of which kind ended how, and the failures.
    """
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    unexpected: collections.Counter[str] = collections.Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(seed, seed + count):
            chance = random.Random(number)
            kind, path = chance.choice(seeds)
            target = Path(folder, "mutated")
            target.mkdir()
            try:
                started = time.monotonic()
                result = verify_artefact(_mutate(kind, path, target, chance))
                json.dumps(as_json([result]), allow_nan=False)
                for line in text_of([result]):
                    assert line.isprintable(), repr(line)
                if time.monotonic() - started > SECONDS:
                    failures.append(f"seed {number}: took {time.monotonic() - started:.1f} s")
                counts[kind, result.status.value] += 1
                if "crashed" in result.error:
                    counts[kind, "(crashed the process that has to read it)"] += 1
                if "the attempt to read it failed" in result.error:
                    unexpected[result.error.partition("failed with ")[2][:60]] += 1
            except Exception:
                failures.append(f"seed {number}: {traceback.format_exc()}")
            shutil.rmtree(target)
    # No harm: each is one line. But each is also a message that could say what is wrong.
    counts.update({("unexpected", reason): number for reason, number in unexpected.items()})
    return counts, failures


def _mutate(kind: str, path: Path, target: Path, chance: random.Random) -> str:
    """Makes a mutated copy in the folder `target`, and returns what to verify."""
    if kind in ("checkpoint", "saver"):
        for part in path.parent.glob(f"{path.name}.*0*"):
            shutil.copy(part, target / part.name)
        shutil.copy(f"{path}.index", target)
        victims = sorted(target.iterdir())
        made = target / path.name
    elif kind == "saved_model":
        made = target / path.name
        shutil.copytree(path, made)
        victims = sorted(part for part in made.rglob("*") if part.is_file())
    else:
        made = target / path.name
        shutil.copy(path, made)
        victims = [made]
    victim = chance.choice(victims)
    if chance.random() < 0.6 and _change_inside(kind, victim, chance):
        return str(made)
    data = victim.read_bytes()
    for _ in range(chance.randint(1, 3)):
        data = _change_bytes(data, chance)
    victim.write_bytes(data)
    return str(made)


def _change_inside(kind: str, victim: Path, chance: random.Random) -> bool:
    """Changes what a file says and leaves the file whole. Returns whether it knows how."""
    if kind == "config":
        victim.write_text(_change_text(victim.read_text(), chance))
    elif kind == "keras":
        _change_archive(victim, chance)
    elif kind == "h5":
        _change_model(victim, chance)
    elif victim.name == "keras_metadata.pb":
        _change_metadata(victim, chance)
    elif victim.suffix == ".index":
        _change_index(victim, chance)
    elif ".data-" in victim.name:
        _change_numbers(victim, chance)
    else:
        return False
    return True


def _change_text(text: str, chance: random.Random) -> str:
    tree = json.loads(text)
    for _ in range(chance.randint(1, 4)):
        _change_value(tree, chance)
    return json.dumps(tree)


def _change_archive(path: Path, chance: random.Random) -> None:
    with zipfile.ZipFile(path) as source:
        files = {name: source.read(name) for name in source.namelist()}
    name = chance.choice(["config.json", "config.json", "metadata.json"])
    files[name] = _change_text(files[name].decode(), chance).encode()
    if chance.random() < 0.2:
        files[chance.choice(list(files))] = chance.choice((b"", b"null", b"[]", b"\x89HDF\r\n"))
    packing = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(path, "w", chance.choice(packing)) as target:
        for name, content in files.items():
            target.writestr(chance.choice((name, name, name, f"../{name}")), content)


def _change_model(path: Path, chance: random.Random) -> None:
    with h5py.File(path, "r+") as file:
        name = chance.choice(["training_config", "training_config", "model_config"])
        if name in file.attrs and chance.random() < 0.7:
            text = file.attrs[name]
            file.attrs[name] = _change_text(
                text if isinstance(text, str) else text.decode(), chance
            )
        numbers: list[str] = []
        file.visititems(
            lambda name, item: numbers.append(name) if getattr(item, "shape", None) == () else None
        )
        for number in numbers:
            if chance.random() < 0.3:
                del file[number]
                value = chance.choice((-1, 2**63 - 1, 1e308, float("nan"), float("inf"), b"x"))
                file[number] = value


def _change_metadata(path: Path, chance: random.Random) -> None:
    """Puts wrong values in place of others that are as long, so that no length changes."""
    data = path.read_bytes()
    found = list(re.finditer(rb'(?<=[:,\[ ])("[^"]*"|[-0-9.e]+|true|false|null)', data))
    for place in chance.sample(found, min(len(found), chance.choice((1, 4, 16)))):
        wrong = chance.choice((b"null", b"-1", b"1e9", b"[]", b"{}", b'""', b"true", b"NaN"))
        if len(wrong) <= len(place[0]):
            data = data[: place.start()] + wrong.ljust(len(place[0])) + data[place.end() :]
    path.write_bytes(data)


def _change_index(path: Path, chance: random.Random) -> None:
    """Changes a checkpoint's table within its first block, and puts the block's checksum right."""
    data = path.read_bytes()
    footer = memoryview(data)[-48:]
    _, position = _handle(footer, 0)
    index, _ = _handle(footer, position)
    _, handle = next(_block(memoryview(data), *index))
    (offset, size), _ = _handle(handle, 0)
    end = offset + size + 1
    first = bytearray(data[: end - 1])
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.randrange(len(first))
        first[place] = chance.choice((first[place] ^ 1 << chance.randrange(8), 0, 0x7F, 0xFF))
    stored = bytes(first) + b"\0"
    path.write_bytes(stored + struct.pack("<L", _masked_crc(stored)) + data[end + 4 :])


def _change_numbers(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    numbers = (float("inf"), float("nan"), -1.0, 1e38, 0.0)
    for _ in range(chance.choice((1, 8, 64))):
        place = chance.randrange(max(1, len(data) - 4))
        data[place : place + 4] = struct.pack("<f", chance.choice(numbers))
    path.write_bytes(data)


def _change_value(tree: Any, chance: random.Random) -> None:
    """Puts something wrong in place of a value somewhere in a JSON tree."""
    holder, key = tree, None
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = chance.choice(keys)
        child = holder[key]
        if not isinstance(child, dict | list) or not child or chance.random() < 0.15:
            break
        holder = child
    action = chance.random()
    if action < 0.2 and isinstance(holder, dict):
        del holder[key]
    elif action < 0.3 and isinstance(holder, dict):
        holder[chance.choice(["dynamic", "loss_scale", "inner_optimizer"])] = copy.deepcopy(
            holder[key]
        )
    else:
        holder[key] = copy.deepcopy(chance.choice(WRONG))


def _change_bytes(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return b"\0"
    place = chance.randrange(len(data))
    length = chance.choice((1, 2, 4, 8, 64, 512))
    action = chance.randrange(7)
    if action == 0:
        return data[:place]
    if action == 1:
        return data[:place] + data[place + length :]
    if action == 2:
        return data[:place] + chance.randbytes(length) + data[place:]
    if action == 3:
        return data[:place] + data[place : place + length] * 3 + data[place + length :]
    if action == 4:
        fill = chance.choice((b"\0", b"\xff", b"\x7f"))
        return data[:place] + fill * length + data[place + length :]
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 8, 64))):
        place = chance.randrange(len(changed))
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
