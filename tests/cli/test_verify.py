# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import h5py
import pytest
from click.testing import CliRunner, Result

from compat_lossscale.cli import verify as command
from compat_lossscale.formats import read
from compat_lossscale.spec import Generation, LossScaleSpec
from tests.formats.samples import ADAM, ARTEFACTS, SGD, import_tf_keras
from tests.schemas.ours import check
from tests.support import folder_of_nobody, python

LOSSLESS = {"inner_optimizer": SGD, "dynamic": True, "initial_scale": 8.0}
LOSSY = {"optimizer": SGD, "loss_scale": LossScaleSpec(multiplier=4).to_loss_scale_config()}
OWN = {"inner_optimizer": {"class_name": "Own", "config": {}}, "dynamic": True}


def verify(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(command.verify, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    contents = {
        "lossless": json.dumps(LOSSLESS),
        "lossy": json.dumps(LOSSY),
        "own": json.dumps(OWN),
        "none": json.dumps({"learning_rate": 0.5}),
        "broken": "{",
    }
    paths = {name: tmp_path / f"{name}.json" for name in contents}
    for name, content in contents.items():
        paths[name].write_text(content)
    return paths


def test_what_many_layers_state_is_said_once(tmp_path: Path) -> None:
    policies = [
        {"class_name": "PolicyV1", "config": {"name": "mixed_float16", "loss_scale": scale}}
        for scale in [LossScaleSpec.fixed(128).to_loss_scale_config()] * 3
        + [LossScaleSpec().to_loss_scale_config()]
    ]
    model = tmp_path / "model.json"
    model.write_text(json.dumps({"layers": [{"config": {"dtype": one}} for one in policies]}))
    lines = [
        line for line in verify(model, "--to", "keras3").output.splitlines() if ".dtype" in line
    ]
    assert lines[0].startswith("  layers.0.config.dtype and 2 more: fixed loss scale 128")
    assert lines[1].startswith("  layers.3.config.dtype: dynamic loss scale")
    assert len(lines) == 2
    html = tmp_path / "page.html"
    value = json.loads(verify(model, "--json", "--html", html).output)
    assert len(value["artefacts"][0]["configs"]) == 4
    assert html.read_text().count("fixed loss scale 128") == 1


@pytest.mark.parametrize(
    ("names", "options", "code"),
    [
        (["lossless"], [], 0),
        (["none"], [], 0),
        (["lossless", "none"], [], 0),
        (["lossy"], [], 1),
        (["lossless", "lossy"], [], 1),
        (["broken"], [], 2),
        (["lossless", "broken"], [], 2),
        (["lossy", "broken"], [], 3),
        (["lossy", "broken", "lossless", "none"], [], 3),
        # Only the generation that is asked for counts.
        (["lossy"], ["--to", "tf2.3"], 0),
        (["lossy"], ["--to", "tf-keras"], 1),
        # What changes without changing training counts with --strict only.
        (["lossless"], ["--strict"], 1),
        (["lossless"], ["--strict", "--to", "tf2.3"], 0),
        (["own"], [], 0),
        (["own"], ["--strict", "--to", "tf2.3"], 1),
        (["none"], ["--strict"], 0),
        (["own", "broken"], ["--strict"], 3),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_the_exit_code_in_every_cell(
    names: list[str], options: list[str], code: int, form: list[str], files: dict[str, Path]
) -> None:
    result = verify(*(files[name] for name in names), *options, *form)
    assert result.exit_code == code, result.output
    if form:
        assert json.loads(result.stdout)["exit_code"] == code


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--to", "tf1", "x"],
        ["--output", "x.json", "x"],
        ["--to", "tf2.3", "--output", "x.json", "x", "y"],
        ["--overwrite", "x"],
    ],
)
def test_wrong_arguments_are_a_usage_error(arguments: list[str]) -> None:
    result = verify(*arguments)
    assert (result.exit_code, "Usage:" in result.stderr) == (64, True)


def test_the_text_names_generation_loss_scale_state_and_what_is_lost_and_why() -> None:
    text = verify(ARTEFACTS / "keras3" / "model.keras", "--to", "tf-keras").stdout
    for part in (
        "lossless: Keras archive (.keras), Keras 3, written by Keras 3.15",
        "dynamic loss scale, initially 64, times 2 after 4 good steps, around Adam",
        "kept: dynamic, initial_scale, growth_steps, multiplier, optimizer, ",
        "noted: state.loss_scale = 32.0: this package restores it; stock tf-keras does not look",
        "noted: name = ",
        "state of model.weights.h5: loss scale 32, good steps 3, iterations 5, 4 slots",
        "1 artefact: 1 lossless",
    ):
        assert part in text


def test_a_fixed_scale_that_compile_drops_is_noted_in_the_text_the_json_and_the_page(
    tmp_path: Path,
) -> None:
    optimizer = {**SGD, "config": {**SGD["config"], "loss_scale_factor": 8.0}}
    path, page = tmp_path / "optimizer.json", tmp_path / "report.html"
    path.write_text(json.dumps(optimizer))
    result = verify(path, "--to", "keras3", "--html", page)
    assert "    noted: under the policy mixed_float16, compile() of Keras 3 drops" in result.stdout
    assert "compile() of Keras 3 drops" in page.read_text()
    value = json.loads(verify(path, "--json").stdout)
    check(value, "verify")
    assert value["artefacts"][0]["configs"][0]["note"].endswith("dynamic=False)")


def test_the_text_says_what_a_file_does_not_hold() -> None:
    text = verify(ARTEFACTS / "2.3" / "model.h5", "--to", "tf2.4").stdout
    assert "not in it: the current loss scale and its counter" in text
    assert "1 artefact: 1 lossless" in text


def test_the_json_has_all_of_it() -> None:
    value = json.loads(verify(ARTEFACTS / "2.3" / "saved_model", "--json").stdout)
    (artefact,) = value["artefacts"]
    (config,) = artefact["configs"]
    assert value["version"] == 1
    assert value["totals"] == {"lossless": 1, "lossy": 0, "no loss scale": 0, "unreadable": 0}
    assert artefact["writer"] == "TensorFlow 2.3.4"
    assert artefact["states"][0]["loss_scale"] == 32.0
    assert config["generation"] == "tf2.3"
    assert config["spec"]["growth_steps"] == 4
    lossless = {conversion["to"]: conversion["lossless"] for conversion in config["conversions"]}
    assert lossless == {"tf2.4": True, "tf-keras": True, "keras3": True}
    assert {"name": "dynamic", "verdict": "kept", "value": True, "reason": ""} in config[
        "conversions"
    ][0]["fields"]


def test_a_checkpoint_is_not_called_lossless_for_keras_3(tmp_path: Path) -> None:
    checkpoint, page = ARTEFACTS / "2.21" / "checkpoint-1", tmp_path / "page.html"
    result = verify(checkpoint, "--to", "keras3", "--html", page)
    assert result.exit_code == 1
    assert "  lost: the optimizer's state: Keras 3 does not look for it" in result.stdout
    assert "Keras 3 does not look for it" in page.read_text()
    value = json.loads(verify(checkpoint, "--to", "keras3", "--json").stdout)
    check(value, "verify")
    assert value["artefacts"][0]["status"] == "lossy"
    for arguments in ((), ("--to", "tf-keras")):
        assert verify(checkpoint, *arguments).exit_code == 0


def test_html_comes_besides_and_changes_no_exit_code(
    tmp_path: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.html"
    result = verify(files["lossy"], "--html", report)
    assert result.exit_code == 1
    assert "1 artefact: 0 lossless, 1 would lose something" in result.output
    assert "<h1>Verification report</h1>" in report.read_text()
    assert verify(files["lossy"], "--html", tmp_path / "report.json").exit_code == 64

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    result = verify(files["lossy"], "--json", "--html", report)
    assert result.exit_code == json.loads(result.stdout)["exit_code"] == 3
    assert "cannot be written: No space left on device." in result.stderr
    assert "<h1>Verification report</h1>" in report.read_text()


def test_the_json_is_what_its_schema_says(tmp_path: Path, files: dict[str, Path]) -> None:
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps({"inner_optimizer": SGD, "dynamic": False, "initial_scale": 8.0}))
    every = json.loads(verify(ARTEFACTS, *files.values(), odd, "--json").stdout)
    check(every, "verify")
    assert {artefact["status"] for artefact in every["artefacts"]} == set(every["totals"])


def test_a_folder_is_walked() -> None:
    value = json.loads(verify(ARTEFACTS / "2.3", "--json").stdout)
    formats = {artefact["format"] for artefact in value["artefacts"]}
    assert formats == {"HDF5 model (.h5)", "SavedModel", "TensorFlow checkpoint", "config (JSON)"}


def test_what_is_in_a_folder_has_one_line_each_and_what_is_named_has_its_details() -> None:
    lines = verify(ARTEFACTS / "2.3").stdout.splitlines()
    *files, summary = lines
    assert len(files) == int(summary.partition(" artefacts:")[0])
    assert all(line.startswith(f"{ARTEFACTS / '2.3'}/") for line in files)
    assert len(verify(ARTEFACTS / "2.3" / "model.h5").stdout.splitlines()) > 3


def test_quiet_prints_only_what_is_lost_or_unreadable(files: dict[str, Path]) -> None:
    assert verify(files["lossless"], "-q").stdout == ""
    lossy = verify(files["lossless"], files["lossy"], files["broken"], "--quiet")
    assert lossy.exit_code == 3
    starts = [line for line in lossy.stdout.splitlines() if not line.startswith(" ")]
    assert [line.partition(":")[0] for line in starts] == [
        str(files["lossy"]), str(files["broken"])
    ]  # fmt: skip


def test_a_folder_without_artefacts_is_reported(tmp_path: Path) -> None:
    result = verify(tmp_path)
    assert (result.exit_code, "is a folder without saved_model.pb" in result.stdout) == (2, True)


# --- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [generation.value for generation in Generation])
@pytest.mark.parametrize(
    "source", ["2.3/model.h5", "2.4/model.h5", "2.21/model.h5", "2.21/model.keras"]
)
def test_a_converted_copy_has_the_same_loss_scale_in_the_form_asked_for(
    source: str, target: str, tmp_path: Path
) -> None:
    path = ARTEFACTS / source
    before = path.read_bytes()
    for output in (tmp_path / f"copy{path.suffix}", tmp_path / "config.json"):
        result = verify(path, "--to", target, "--output", output)
        assert result.exit_code in (0, 1), result.output
        (config,) = read(output).configs
        assert config.spec == read(path).configs[0].spec
        assert config.generation is Generation(target)
    copy = read(tmp_path / f"copy{path.suffix}")
    assert copy.states == read(path).states or target == "keras3"
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == sorted([f"copy{path.suffix}", "config.json"])  # noqa: PTH208  # names are enough


def test_a_converted_h5_model_is_what_it_was_but_for_its_optimizers_config(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    source, output = ARTEFACTS / "2.3" / "model.h5", tmp_path / "out.h5"
    verify(source, "--to", "tf2.4", "--output", output)
    with h5py.File(source) as old, h5py.File(output) as new:
        for name in ("model_config", "keras_version", "backend"):
            assert old.attrs[name] == new.attrs[name]
        before, after = (json.loads(file.attrs["training_config"]) for file in (old, new))
        assert before.pop("optimizer_config") != after.pop("optimizer_config")
        # What TensorFlow 2.0 to 2.2 look for.
        assert after.pop("sample_weight_mode") is None
        assert before == after
        kernel = "model_weights/dense/dense/kernel:0"
        assert (old[kernel][()] == new[kernel][()]).all()


def test_a_converted_archive_is_what_it_was_but_for_its_optimizers_config(tmp_path: Path) -> None:
    source, output = ARTEFACTS / "2.21" / "model.keras", tmp_path / "out.keras"
    verify(source, "--to", "tf2.4", "--output", output)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(output) as new:
        assert old.namelist() == new.namelist()
        for name in ("metadata.json", "model.weights.h5"):
            assert old.read(name) == new.read(name)
        before, after = (json.loads(file.read("config.json")) for file in (old, new))
        assert before["config"] == after["config"]


@pytest.mark.parametrize(
    ("source", "target", "output", "code", "message"),
    [
        ("lossy", "tf-keras", "out.json", 1, "would be lost: multiplier"),
        ("none", "tf-keras", "out.json", 2, "there is no config to convert"),
        ("broken", "tf-keras", "out.json", 2, ""),
        ("lossless", "tf-keras", "out.h5", 2, "cannot be written as .h5"),
        ("lossless", "tf-keras", "out", 2, "without an extension"),
        ("lossless", "tf-keras", "lossless.json", 2, "is the input itself"),
        ("lossless", "tf-keras", "none.json", 2, "exists already"),
        ("lossless", "tf-keras", "nowhere/out.json", 2, "No such file or directory"),
        ("lossless", "tf-keras", ".", 2, "is a folder"),
    ],
)
def test_nothing_is_written_when_something_is_in_the_way(
    source: str, target: str, output: str, code: int, message: str, *, files: dict[str, Path]
) -> None:
    folder = files["lossless"].parent
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = verify(files[source], "--to", target, "--output", folder / output)
    assert (result.exit_code, message in result.stderr) == (code, True), result.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_weights_alone_are_for_load_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.weights.h5"
    with h5py.File(path, "w") as file:
        file["dense/dense/kernel:0"] = [1.0, 2.0]
    result = verify(path, "--to", "keras3", "--output", tmp_path / "new.keras")
    assert (result.exit_code, "model.load_weights(FILE) reads it" in result.stderr) == (2, True)


def test_another_file_is_replaced_only_if_told_to_and_only_a_regular_one(
    files: dict[str, Path],
) -> None:
    existing, arguments = files["own"], (files["lossless"], "--to", "keras3", "--output")
    before = existing.read_bytes()
    assert verify(*arguments, existing).exit_code == 2
    assert existing.read_bytes() == before
    assert verify(*arguments, existing, "--overwrite").exit_code == 0
    assert read(existing).configs[0].generation is Generation.KERAS3
    link = existing.with_name("link.json")
    link.symlink_to(files["none"].name)
    dangling = existing.with_name("dangling.json")
    dangling.symlink_to("nowhere.json")
    pipe = existing.with_name("pipe.json")
    os.mkfifo(pipe)
    for odd in (link, dangling, pipe):
        result = verify(*arguments, odd, "--overwrite")
        assert (result.exit_code, "is not a regular file" in result.stderr) == (2, True)
    assert (link.is_symlink(), dangling.is_symlink()) == (True, True)
    assert json.loads(files["none"].read_text()) == {"learning_rate": 0.5}


def test_the_input_is_not_replaced_under_any_of_its_names(files: dict[str, Path]) -> None:
    source = files["lossless"]
    hard = source.with_name("hard.json")
    os.link(source, hard)
    symbolic = source.with_name("symbolic.json")
    symbolic.symlink_to(source.name)
    before = source.read_bytes()
    for name in (source, hard, symbolic, source.parent / "." / source.name):
        result = verify(source, "--to", "keras3", "--output", name, "--overwrite")
        assert (result.exit_code, "is the input itself" in result.stderr) == (2, True)
    assert source.read_bytes() == before


def test_a_folder_that_cannot_be_written_to_is_said_in_a_sentence() -> None:
    with folder_of_nobody() as folder:
        source = folder / "config.json"
        source.write_text(json.dumps(LOSSLESS))
        folder.chmod(0o555)
        result = verify(source, "--to", "keras3", "--output", folder / "out.json")
        assert (result.exit_code, "cannot be written: Permission denied" in result.stderr) == (
            2,
            True,
        )


@pytest.mark.parametrize("name", [f"{'x' * 300}.json", ""])
def test_a_name_that_no_file_can_have_is_said_in_a_sentence(
    name: str, files: dict[str, Path]
) -> None:
    result = verify(files["lossless"], "--to", "keras3", "--output", name)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr


def test_a_lossy_config_is_written_unless_strict(tmp_path: Path) -> None:
    source, output = tmp_path / "in.json", tmp_path / "out.json"
    inner = {**ADAM, "config": {**ADAM["config"], "decay": 0.5}}
    source.write_text(json.dumps({"inner_optimizer": inner, "dynamic": True}))
    arguments = (source, "--to", "keras3", "--output", output)
    result = verify(*arguments, "--strict")
    assert (result.exit_code, output.exists()) == (1, False)
    result = verify(*arguments)
    assert (result.exit_code, output.exists()) == (1, True)
    assert "lost: optimizer.decay = 0.5" in result.stdout


def test_a_file_of_many_configs_is_not_converted(tmp_path: Path) -> None:
    path = ARTEFACTS / "2.3" / "configs.json"
    result = verify(path, "--to", "tf2.4", "--output", tmp_path / "out.json")
    # Some of them would lose something, besides.
    assert result.exit_code == 3
    assert "convert a file that has one" in result.stderr


# --- as a whole -----------------------------------------------------------------------------------


def test_starting_up_imports_neither_tensorflow_nor_h5py(files: dict[str, Path]) -> None:
    code = (
        "import sys\n"
        "from compat_lossscale.cli.verify import verify\n"
        f"verify([{str(files['lossless'])!r}], standalone_mode=False)\n"
    )
    done = python("-X", "importtime", "-c", code)
    for heavy in ("tensorflow", "tf_keras", "h5py", "numpy", "libcst"):
        assert f" {heavy}\n" not in done.stderr


def test_deep_compares_with_stock_tf_keras(tmp_path: Path, files: dict[str, Path]) -> None:
    import_tf_keras()
    result = verify(files["lossless"], "--deep", "--json")
    check(json.loads(result.stdout), "verify")
    (compared,) = json.loads(result.stdout)["deep"]
    assert (result.exit_code, compared["outcome"]) == (0, "equal")
    impossible: dict[str, Any] = {**SGD, "config": {"learning_rate": "fast"}}
    path = tmp_path / "impossible.json"
    path.write_text(json.dumps({"inner_optimizer": impossible, "dynamic": True}))
    result = verify(path, "--deep")
    assert (result.exit_code, "different: it cannot be built" in result.stdout) == (1, True)


def test_the_command_survives_a_copy_of_every_artefact_without_its_companions(
    tmp_path: Path,
) -> None:
    for number, path in enumerate(sorted(ARTEFACTS.rglob("*.*"))):
        if path.is_file():
            shutil.copy(path, tmp_path / f"{number}{path.suffix}")
    result = verify(tmp_path)
    assert result.exit_code in (1, 3)
