# SPDX-License-Identifier: Apache-2.0
"""Files of every version become models of Keras 3 in one step, and train on as before."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import types
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

from compat_lossscale.cli.verify import verify
from compat_lossscale.errors import ConversionError, MissingExtraError
from compat_lossscale.formats import LiveState, read
from compat_lossscale.formats.conversion import Verdict, trained_otherwise
from compat_lossscale.models import is_installed, process, write
from compat_lossscale.models.rebuilding import Rebuilding
from compat_lossscale.spec import Generation, LossScaleSpec
from tests import forked_python
from tests.artefacts.test_train_on import approximately
from tests.formats.samples import ARTEFACTS, archive

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
MODEL = '''
import tensorflow as tf

def made():
    """The model of the artefacts, without its values."""
    layer = tf.keras.layers.Dense(2, input_shape=(3,), name="dense")
    model = tf.keras.Sequential([layer], name="tiny")
    inner = tf.keras.optimizers.Adam(0.125)
    scale = tf.keras.mixed_precision.LossScaleOptimizer
    model.compile(scale(inner, initial_scale=64.0, dynamic_growth_steps=4), "mse")
    return model

def not_built():
    return tf.keras.Sequential([tf.keras.layers.Dense(2)])

def other():
    return tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(3,))])

nothing = 1
'''
EVERY = 1 if os.environ.get("ALL_CASES") else 3
NAMES = (
    "model.h5",
    "saved_model",
    "model.keras",
    "model-legacy.h5",
    "saved_model-legacy",
    "weights",
)
ALL = [
    f"{version.name}/{name}"
    for version in sorted(ARTEFACTS.iterdir())
    for name in NAMES
    if version.name not in ("keras3", "1.14", "1.15") and (version / f"{name}.json").exists()
]
CASES = ALL[::EVERY]
"""The artefacts that are converted; `make nightly` takes all."""
HOLD_THE_SCALE = ("saved_model", "weights")


def is_legacy(case: str) -> bool:
    version = [int(part) for part in case.split("/", maxsplit=1)[0].split(".")]
    return version < [2, 11] or "legacy" in case


def in_one_process(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        forked_python.command(str(HERE / "converting.py")),
        input=f"{json.dumps(requests)}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def train_on(side: str, paths: list[Path]) -> list[dict[str, Any]]:
    done = subprocess.run(
        forked_python.command(str(HERE / "train_on.py"), side, *map(str, paths)),
        env={**os.environ, "TF_USE_LEGACY_KERAS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    results: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What came of each case: its conversion, and what Keras 3 has before and after it trains."""
    folder = tmp_path_factory.mktemp("converted")
    script = folder / "script.py"
    script.write_text(MODEL)
    outcomes: dict[str, dict[str, Any]] = {}
    for legacy in (True, False):
        cases = [case for case in CASES if is_legacy(case) is legacy]
        requests = [
            {
                "path": str(ARTEFACTS / case),
                "target": "keras3",
                "function": f"{script}:made" if "weights" in case else None,
                "output": str(folder / f"{case.replace('/', '-')}.keras"),
            }
            for case in cases
        ]
        outcomes |= dict(zip(cases, in_one_process(requests), strict=True))
    paths = [folder / f"{case.replace('/', '-')}.keras" for case in outcomes]
    for outcome, stock, ours in zip(
        outcomes.values(), train_on("stock", paths), train_on("ours", paths), strict=True
    ):
        outcome |= {"stock": stock, "ours": ours}
    return outcomes


def recorded(case: str) -> Any:
    return json.loads((ARTEFACTS / f"{case}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost(case: str, converted: dict[str, dict[str, Any]]) -> None:
    outcome = converted[case]
    assert "error" not in outcome, outcome["error"]
    fields = outcome["conversion"]["fields"]
    assert [field for field in fields if field["verdict"] == "lost"] == []
    assert {"state.iterations", "state.slots"} <= {field["name"] for field in fields}


@pytest.mark.parametrize("side", ["stock", "ours"])
@pytest.mark.parametrize("case", CASES)
def test_keras_3_has_the_state_and_trains_on_as_the_writer_did(
    case: str, side: str, converted: dict[str, dict[str, Any]]
) -> None:
    now, then = (converted[case][side][when] for when in ("now", "then"))
    saved, continued = (recorded(case)[when] for when in ("saved", "continued"))
    names = ["variables", "slots", "iterations"]
    if case.split("/")[1].startswith(HOLD_THE_SCALE):
        names += ["loss_scale", "good_steps"]
    else:
        # Their writers kept none in these files.
        assert (now["loss_scale"], now["good_steps"]) == (64.0, 0)
    for name in names:
        assert now[name] == approximately(saved[name]), name
        assert then[name] == approximately(continued[name]), name


@pytest.mark.parametrize("case", CASES)
def test_a_converted_file_loads_as_our_class_where_the_package_is_imported(
    case: str, converted: dict[str, dict[str, Any]]
) -> None:
    assert converted[case]["ours"]["ours"]
    assert not converted[case]["stock"]["ours"]


# --- what is refused ------------------------------------------------------------------------------


def config_of_model() -> Any:
    with zipfile.ZipFile(ARTEFACTS / "2.21" / "model.keras") as saved:
        return json.loads(saved.read("config.json"))


def with_layer(layer: dict[str, Any], path: Path) -> Path:
    """A model of tf-keras with one more layer."""
    config = config_of_model()
    config["config"]["layers"].append(layer)
    with zipfile.ZipFile(ARTEFACTS / "2.21" / "model.keras") as saved:
        weights = saved.read("model.weights.h5")
    files = {"config__json": json.dumps(config), "metadata__json": '{"keras_version": "2.21.0"}'}
    return archive(path, **files, model__weights__h5=weights)


def of_keras(class_name: str, **settings: Any) -> dict[str, Any]:
    named = {"module": "keras.layers", "class_name": class_name, "registered_name": None}
    return {**named, "config": {"name": "sharp", **settings}}


LAYERS = {
    "stored as Python bytecode (Lambda), which is not run": {
        "class_name": "Lambda",
        "config": {"function": ["4wEAAAA=", None, None]},
    },
    "an object of a class of your own, system of the module os": {
        "module": "os",
        "class_name": "system",
        "config": {"command": "touch executed"},
    },
    "an object of a class of your own, get_file of the module keras.utils": {
        "module": "keras.utils",
        "class_name": "get_file",
        "config": {"fname": "x"},
    },
    "a function of your own, exec": {
        "module": "builtins",
        "class_name": "function",
        "config": "exec",
    },
    "layer sharp: Keras 3 has no ThresholdedReLU; ReLU(threshold=theta)": of_keras(
        "ThresholdedReLU", theta=1.0
    ),
}
"""Layers that are not converted, by what is said of them. None of what they name is run."""
FUNCTIONS = {
    "has no function made_up": ("weights", "made_up"),
    "has no function nothing": ("weights.index", "nothing"),
    "must return a model of tf.keras that is built": ("weights", "not_built"),
    "the checkpoint does not fit the model that other() builds": ("weights", "other"),
    "no model of Keras stands at its root, which has: bias, optimizer, weight": (
        "checkpoint-1",
        "made",
    ),
}
"""Checkpoints of TensorFlow 2.3 and functions that do not go with them, by what is said."""


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What is said of each, and the folder in which it is done."""
    folder = tmp_path_factory.mktemp("refused")
    script, said = folder / "script.py", {}
    script.write_text(MODEL)
    layers = [
        (with_layer(layer, folder / f"{n}.keras"), None) for n, layer in enumerate(LAYERS.values())
    ]
    built = [(ARTEFACTS / "2.3" / name, f"{script}:{made}") for name, made in FUNCTIONS.values()]
    for names, files in ((LAYERS, layers), (FUNCTIONS, built)):
        output = str(folder / "out.keras")
        requests = [
            {"path": str(path), "target": "keras3", "function": function, "output": output}
            for path, function in files
        ]
        said |= dict(zip(names, in_one_process(requests), strict=True))
    assert not list(folder.rglob("executed"))
    return said


@pytest.mark.parametrize("says", [*LAYERS, *FUNCTIONS])
def test_what_is_not_converted_is_named_with_the_reason(
    says: str, refused: dict[str, dict[str, Any]]
) -> None:
    assert refused[says].get("kind") == "ConversionError", refused[says]
    assert says in refused[says]["error"]


def test_a_checkpoint_of_several_models_is_refused(tmp_path: Path) -> None:
    script, path = tmp_path / "script.py", str(tmp_path / "both")
    script.write_text(
        f"{MODEL}\nif __name__ == '__main__':\n"
        f"    tf.train.Checkpoint(first=other(), second=made()).write({path!r})\n"
    )
    legacy = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
    subprocess.run(forked_python.command(str(script)), env=legacy, check=True)
    request = {"path": path, "target": "keras3", "output": str(tmp_path / "out.keras")}
    [answer] = in_one_process([{**request, "function": f"{script}:made"}])
    assert "the checkpoint holds first and second" in answer["error"]


OWN = {
    "model.h5": {b'"class_name": "Dense"': b'"class_name": "pkg>D"'},
    "model-optimizer.h5": {b'"class_name": "Adam"': b'"class_name": "Mine"'},
    "saved_model/saved_model.pb": {b'"class_name": "Dense"': b'"class_name": "Dance"'},
}
"""Files of TensorFlow 2.3 with a class that Keras does not have, of which they name no module."""


def test_classes_of_old_files_that_keras_does_not_have_are_named(tmp_path: Path) -> None:
    requests = []
    for name, changes in OWN.items():
        source = name.replace("-optimizer", "")
        changed = tmp_path / name
        path = changed.parent if "/" in name else changed
        if "/" in name:
            shutil.copytree(ARTEFACTS / "2.3/saved_model", path)
        content = (ARTEFACTS / "2.3" / source).read_bytes()
        for old, new in changes.items():
            assert old in content
            content = content.replace(old, new)
        changed.write_bytes(content)
        output = str(tmp_path / "out.keras")
        requests.append({"path": str(path), "target": "keras3", "function": None, "output": output})
    for answer, name in zip(in_one_process(requests), ("pkg>D", "Mine", "Dance"), strict=True):
        assert answer.get("kind") == "ConversionError", answer
        assert answer["error"].startswith(f"{name}: Keras 3 ")
        assert "build it there, and load its weights" in answer["error"]


@pytest.mark.parametrize("name", ["StringLookup", "TextVectorization"])
def test_a_vocabulary_that_is_in_no_config_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "old.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", path)
    with h5py.File(path, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        learned = {"class_name": name, "config": {"trainable": True, "vocabulary": None}}
        model["config"]["layers"].insert(0, learned)
        file.attrs["model_config"] = json.dumps(model)
    with pytest.raises(ConversionError, match=f"{name}: the vocabulary is not in their configs"):
        process.read_stored(str(path), Generation.KERAS3, None)


# --- real files of tf-keras -----------------------------------------------------------------------

TRAIN = """
import json
import sys
import h5py
import numpy as np
import tensorflow as tf

folder, when, *names = sys.argv[1:]
keras = tf.keras
x = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
y = x[:, :1] * 3e-4

def train(model):
    model.train_on_batch(x, y if len(model.outputs) == 1 else [y, y])

def trained(model):
    for _ in range(3):
        train(model)
    print(*np.concatenate([np.ravel(weight) for weight in model.get_weights()]))

def old(name, optimizer, *layers, loss="mse"):
    first = keras.layers.Dense(1, kernel_initializer="zeros")
    save(name, optimizer, keras.Sequential([keras.Input((3,)), *layers, first]), loss)

def save(name, optimizer, model, loss, **metrics):
    scaled = keras.mixed_precision.LossScaleOptimizer(optimizer, initial_scale=8.0)
    model.compile(scaled, loss, **metrics)
    train(model)
    model.save(f"{folder}/{name}")
    trained(model)

def of_two_outputs():
    given = keras.Input((3,))
    ends = [keras.layers.Dense(1, kernel_initializer="zeros", name=n)(given) for n in "ab"]
    return keras.Model(given, ends)

if when == "old":
    legacy = keras.optimizers.legacy
    old("rmsprop.h5", legacy.RMSprop(1e-4))
    old("adagrad.h5", legacy.Adagrad(1e-4, initial_accumulator_value=0.0))
    rate = keras.optimizers.schedules.InverseTimeDecay(1e-2, 1, 0.5)
    old("scheduled.h5", legacy.Adagrad(rate))
    normalization = keras.layers.Normalization()
    normalization.adapt(x * 8 + 1)
    old("normalized", legacy.SGD(0.1), normalization)
    words = (keras.layers.Rescaling(1, 1), keras.layers.Embedding(3, 2), keras.layers.Flatten())
    old("words.h5", legacy.SGD(0.1), *words)
    given = keras.Input((3,))
    masked = keras.layers.Embedding(3, 2, mask_zero=True)(keras.layers.Rescaling(1, 1)(given))
    settings = {"recurrent_activation": "hard_sigmoid"}
    _, *states = keras.layers.LSTM(2, return_state=True, **settings)(masked)
    last = keras.layers.LSTM(2, **settings)(masked, initial_state=states)
    ends = keras.layers.Dense(1)(last)
    save("states.h5", legacy.SGD(0.1), keras.Model(given, ends), "mse")
    for name in ("unused.h5", "unused"):
        save(name, legacy.Adam(0.1), of_two_outputs(), ["mse", None])
    given = keras.Input((2, 3))
    attended = keras.layers.MultiHeadAttention(1, 2)(given, given)
    ends = keras.layers.Dense(1)(keras.layers.Flatten()(attended))
    x = np.stack([x, x[::-1]], 1)
    save("attention.h5", legacy.SGD(0.1), keras.Model(given, ends), "mse")
    x = x[:, 0]
    save("metric.h5", legacy.SGD(0.1), of_two_outputs(), "mse", metrics={"a": ["mae"]})
    old("function.keras", keras.optimizers.SGD(0.1), loss=keras.losses.mean_squared_error)
    with h5py.File(f"{folder}/attention.h5", "r+") as file:
        model = json.loads(file.attrs["model_config"])
        for layer in model["config"]["layers"]:
            for shape in ("query_shape", "key_shape", "value_shape"):
                layer["config"].pop(shape, None)  # TensorFlow 2.4 writes none.
        file.attrs["model_config"] = json.dumps(model)
else:
    for name in names:
        x = np.stack([x, x[::-1]], 1) if name == "attention.h5" else x[:4].reshape(4, -1)[:, :3]
        trained(keras.models.load_model(f"{folder}/{name}.converted.keras"))
"""


def test_models_of_tf_keras_train_on_the_same(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)

    names = (
        *("rmsprop.h5", "adagrad.h5", "scheduled.h5", "normalized", "words.h5", "states.h5"),
        *("unused.h5", "unused", "attention.h5", "metric.h5", "function.keras"),
    )

    def run(when: str) -> dict[str, list[float]]:
        done = subprocess.run(
            forked_python.command(str(script), str(tmp_path), when, *names),
            env={**os.environ, "TF_USE_LEGACY_KERAS": "1" if when == "old" else ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        lines = done.stdout.splitlines()[-len(names) :]
        return {
            name: [float(number) for number in line.split()]
            for name, line in zip(names, lines, strict=True)
        }

    before = run("old")
    requests = [
        {
            "path": str(tmp_path / name),
            "target": "keras3",
            "function": None,
            "output": str(tmp_path / f"{name}.converted.keras"),
        }
        for name in before
    ]
    # The last one has an optimizer of the new family.
    answers = [*in_one_process(requests[:-1]), *in_one_process(requests[-1:])]
    for name, answer in zip(before, answers, strict=True):
        assert "error" not in answer, (name, answer["error"])
        lost = [field for field in answer["conversion"]["fields"] if field["verdict"] == "lost"]
        assert lost == [], name
    for name, values in run("new").items():
        assert values == pytest.approx(before[name], rel=1e-3, abs=1e-7), name


@pytest.mark.parametrize(
    ("optimizer", "momentum", "is_legacy", "said"),
    [
        ("SGD", 0.0, True, ""),
        ("SGD", 0.9, False, ""),
        ("SGD", 0.9, True, "lost: only the rows"),
        ("RMSprop", 0.0, True, "noted: a row that a batch looks up twice"),
        ("RMSprop", 0.9, True, "lost: only the rows"),
        ("Adamax", None, True, "lost: only the rows"),
        ("Adam", None, True, "noted: a row that a batch looks up twice"),
    ],
)
def test_how_keras_3_trains_an_embedding_otherwise_is_said_by_the_optimizer(
    optimizer: str, momentum: float | None, is_legacy: bool, said: str
) -> None:
    inner = {"class_name": optimizer, "config": {"momentum": momentum}}
    fields = trained_otherwise(["Dense", "Embedding"], inner, is_legacy)
    verdict, _, words = said.partition(": ")
    assert [field.verdict.value for field in fields] == ([verdict] if said else [])
    assert all(words in field.reason for field in fields)


def test_losses_and_metrics_are_known_by_the_names_of_old_files(tmp_path: Path) -> None:
    source = tmp_path / "old.h5"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", source)
    similarity = {"name": "cosine_similarity", "dtype": "float32", "fn": "cosine_similarity"}
    with h5py.File(source, "r+") as file:
        compiled = json.loads(file.attrs["training_config"])
        compiled["metrics"] = [[{"class_name": "MeanMetricWrapper", "config": similarity}]]
        compiled["loss"] = {"class_name": "OwnLoss", "config": {"reduction": "auto", "name": "own"}}
        file.attrs["training_config"] = json.dumps(compiled)
    output = str(tmp_path / "new.keras")
    request = {"path": str(source), "target": "keras3", "function": None, "output": output}
    [answer] = in_one_process([request])
    fields = answer["conversion"]["fields"]
    lost = [(field["name"], field["value"]) for field in fields if field["verdict"] == "lost"]
    assert lost == [("compile.loss", "OwnLoss")]


# --- the command ----------------------------------------------------------------------------------


def store_as_old_versions_do(model: Path) -> None:
    """Adds what TensorFlow stores: a policy since 2.1, a metric that is a function since 2.4."""
    functions = [
        {"class_name": "MeanMetricWrapper", "config": {"name": fn, "dtype": "float32", "fn": fn}}
        for fn in ("mean_absolute_error", "own_error")
    ]
    huber = {"reduction": "auto", "name": "huber_loss", "delta": 0.5}
    scale = LossScaleSpec(initial_scale=64.0, growth_steps=4).to_loss_scale_config()
    policy = {"class_name": "Policy", "config": {"name": "mixed_float16", "loss_scale": scale}}
    with h5py.File(model, "r+") as file:
        config = json.loads(file.attrs["model_config"])
        config["config"]["layers"][-1]["config"]["dtype"] = policy
        file.attrs["model_config"] = json.dumps(config)
        compiled = json.loads(file.attrs["training_config"])
        compiled |= {"metrics": [functions], "loss": {"class_name": "Huber", "config": huber}}
        file.attrs["training_config"] = json.dumps(compiled)


def test_one_command_converts_an_old_file_and_says_so(tmp_path: Path) -> None:
    source, output = tmp_path / "old.h5", tmp_path / "new.keras"
    shutil.copy(ARTEFACTS / "2.3" / "model.h5", source)
    store_as_old_versions_do(source)
    arguments = [str(source), "--to", "keras3", "--output", str(output)]
    result = CliRunner().invoke(verify, arguments)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    assert "1 artefact: 0 lossless, 1 would lose something" in result.stdout
    assert f"wrote {output}, in the form of Keras 3" in result.stdout
    lost = [line for line in result.stdout.splitlines() if line.startswith("lost: ")]
    assert [line.partition(": Keras 3")[0] for line in lost] == [
        "lost: compile.loss.Huber.delta = 0.5"
    ]
    assert '    lost: compile.metrics = "own_error": Keras 3 has none of this name' in result.stdout
    (state,) = read(output).states
    assert (state.loss_scale, state.iterations, state.slots) == (64.0, 6, 4)
    assert train_on("stock", [output])[0]["then"]["iterations"] > 6
    with h5py.File(source, "r+") as file:
        del file.attrs["training_config"], file["optimizer_weights"]
    without = [*arguments[:-1], str(tmp_path / "without_optimizer.keras")]
    result = CliRunner().invoke(verify, without)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    before = output.read_bytes()
    result = CliRunner().invoke(verify, arguments)
    assert (result.exit_code, "exists already" in result.stderr) == (2, True)
    assert output.read_bytes() == before


def test_the_outputs_of_models_that_look_up_numbers_are_compared() -> None:
    tensor = types.SimpleNamespace(shape=(None, 3), dtype="float32")
    assert process._probe(tensor, whole=False).dtype == "float32"
    fixed = types.SimpleNamespace(shape=(5, None), dtype="float32")
    assert process._probe(fixed, whole=False).shape == (5, 4)
    assert {*process._probe(tensor, whole=True).flat} <= {0.0, 1.0}


def test_the_model_of_a_class_of_its_own_is_found_in_a_checkpoint() -> None:
    model = types.SimpleNamespace(down=[], optimizer=None, layers=[])
    for children, found in (
        (("down", "optimizer", "save_counter"), True),
        (("layer-0", "variables"), True),
        (("down", "keras_api", "variables", "signatures"), True),  # The root of a SavedModel.
        (("model", "optimizer", "save_counter"), False),
        (("iter", "loss_scale"), False),
        ((), False),
    ):
        assert process._is_model(children, model) is found, children


@pytest.mark.parametrize(
    "root",
    [
        {"down": 1, "keras_api": 2},  # A SavedModel.
        {"layer-0": 1, "layer-1": 2, "optimizer": 3},  # What save_weights writes of a nested model.
    ],
)
def test_a_model_at_the_root_is_the_only_one(
    root: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    children: tuple[dict[str, int], ...] = (root, {}, {"layer-0": 1}, {})
    nodes = [types.SimpleNamespace(children=one) for one in children]
    monkeypatch.setattr(process, "TensorBundle", lambda _: types.SimpleNamespace(text=str))
    described = types.SimpleNamespace(states=())
    monkeypatch.setattr(process.checkpoint, "describe", lambda _: described)
    monkeypatch.setattr(process, "ObjectGraph", lambda _: types.SimpleNamespace(nodes=nodes))
    model = types.SimpleNamespace(down=[])
    assert process._objects_of_checkpoint("variables", model, None) == {"root": model}


def test_a_conversion_has_limited_memory(tmp_path: Path) -> None:
    script = tmp_path / "build.py"
    script.write_text(
        "import resource\nimport numpy as np\n"
        "def build():\n    np.empty(resource.getrlimit(resource.RLIMIT_AS)[0], 'u1')\n"
    )
    function, output = f"{script}:build", str(tmp_path / "new.keras")
    with pytest.raises(ConversionError, match="takes more than 16 GB of memory"):
        write(read(ARTEFACTS / "2.3/weights.index"), Generation.KERAS3, output, function=function)


@pytest.mark.nightly
def test_what_differs_in_the_outputs_is_lost_and_the_layer_is_named(tmp_path: Path) -> None:
    source, output = tmp_path / "old.keras", tmp_path / "new.keras"
    with zipfile.ZipFile(ARTEFACTS / "keras3" / "model.keras") as saved:
        files = {name: saved.read(name) for name in saved.namelist()}
    config = json.loads(files["config.json"])
    layer = config["config"]["layers"][-1]["config"]
    layer["activation"] = "hard_sigmoid"
    files["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(source, "w") as changed:
        for name, content in files.items():
            changed.writestr(name, content)
    arguments = [str(source), "--to", "tf-keras", "--output", str(output)]
    result = CliRunner().invoke(verify, [*arguments, "--strict"])
    assert (result.exit_code, output.exists()) == (1, False)
    result = CliRunner().invoke(verify, arguments)
    assert (result.exit_code, output.exists()) == (1, True)
    name = layer["name"]
    assert f"computes something else from the layer {name} (Dense) on" in result.stdout
    assert f'lost: layer {name}.activation = "hard_sigmoid": tf-keras computes' in result.stdout


class Cell:
    """Stands in for a layer of both libraries."""

    def __init__(self, name: str, activation: str, dtype: str) -> None: ...


SHARP = {"name": "hard_sigmoid", "activation": "hard_sigmoid", "dtype": "float32"}


def test_an_activation_that_is_another_function_is_lost_in_tf_keras() -> None:
    names = ("keras", "tf_keras")
    rebuilding = Rebuilding(*(types.SimpleNamespace(__name__=name) for name in names))
    assert rebuilding._settings(Cell, None, SHARP, "layer cell") == SHARP
    (field,) = rebuilding.fields
    assert (field.name, field.verdict) == ("layer cell.activation", Verdict.LOST)


def test_an_activation_that_is_another_function_is_rebuilt_in_keras_3() -> None:
    from tests.conftest import _make_two_logical_devices

    _make_two_logical_devices()
    import keras

    names = ("tf_keras", "keras")
    rebuilding = Rebuilding(*(types.SimpleNamespace(__name__=name) for name in names))
    settings = rebuilding._settings(Cell, None, SHARP, "layer cell")
    assert (settings["name"], rebuilding.fields) == ("hard_sigmoid", [])
    numbers = np.linspace(-4, 4, 33, dtype="float32")
    layer = keras.layers.Activation(settings["activation"])
    again = keras.layers.Activation.from_config(layer.get_config())
    for one in (layer, again):
        assert np.allclose(one(numbers), np.clip(0.2 * numbers + 0.5, 0, 1), atol=1e-6)


def stored(state: LiveState) -> Any:
    return types.SimpleNamespace(artefact=types.SimpleNamespace(states=(state,)))


def test_slots_of_zeros_are_not_those_of_the_file() -> None:
    without = stored(LiveState("optimizer_weights", slots=2))
    zeros, ones = np.zeros(2), np.ones(2)
    (field,) = process._not_loaded(without, {"m": [zeros], "v": [zeros]})
    assert (field.name, field.verdict) == ("state.slots", Verdict.LOST)
    assert process._not_loaded(without, {"m": [zeros], "v": [ones]}) == []
    counted = stored(LiveState("optimizer_weights", iterations=5, slots=2))
    assert process._not_loaded(counted, {"iterations": [5], "v": [zeros]}) == []


def test_an_archive_that_tf_keras_wrote_on_windows_is_converted(tmp_path: Path) -> None:
    sources = (ARTEFACTS / "2.21" / "model.keras", tmp_path / "windows.keras")
    with zipfile.ZipFile(sources[0]) as saved:
        files = {name: saved.read(name) for name in saved.namelist()}
    weights = io.BytesIO(files["model.weights.h5"])
    with h5py.File(weights, "r+") as file:
        for name in [*file["layers"]]:
            file.move(f"layers/{name}", f"layers\\{name}")
        del file["layers"]
    files["model.weights.h5"] = weights.getvalue()
    with zipfile.ZipFile(sources[1], "w") as changed:
        for name, content in files.items():
            changed.writestr(name, content)
    requests = [
        {
            "path": str(path),
            "target": "keras3",
            "function": None,
            "output": str(tmp_path / f"{number}.keras"),
        }
        for number, path in enumerate(sources)
    ]
    same, converted = in_one_process(requests)
    assert "error" not in converted, converted["error"]
    assert converted == same
    kernels = []
    for request in requests:
        with zipfile.ZipFile(request["output"]) as saved:
            weights = io.BytesIO(saved.read("model.weights.h5"))
        with h5py.File(weights) as file:
            kernels.append(file["layers/dense/vars/0"][:].tolist())
    assert kernels[0] == kernels[1]


def test_layers_of_archives_of_tensorflow_2_12_have_todays_names(tmp_path: Path) -> None:
    old, weights = tmp_path / "old.keras", io.BytesIO()
    with h5py.File(weights, "w") as file:
        for number, name in enumerate(("re_lu", "conv2d", "conv2d_2", "conv2d_10", "conv2d_12")):
            file[f"_layer_checkpoint_dependencies/{name}/vars/0"] = number
    archive(old, config__json="{}", model__weights__h5=weights.getvalue())
    (tmp_path / "new").mkdir()
    new = process._with_todays_names(str(old), str(tmp_path / "new"))
    with zipfile.ZipFile(new) as saved:
        assert saved.read("config.json") == b"{}"
        weights = io.BytesIO(saved.read("model.weights.h5"))
    with h5py.File(weights) as file:
        numbers = {name: group["vars/0"][()] for name, group in file["layers"].items()}
    assert numbers == {"re_lu": 0, "conv2d": 1, "conv2d_1": 2, "conv2d_2": 3, "conv2d_3": 4}


def test_what_keras_1_wrote_names_the_keras_that_reads_it() -> None:
    old = types.SimpleNamespace(artefact=types.SimpleNamespace(writer="Keras 1.2.2"))
    with pytest.raises(ConversionError, match=r"Keras 1\.2\.2 wrote it, .* keras==2\.2\.4"):
        process._loaded(old, None)


def test_why_the_old_library_does_not_load_a_file_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("partitioner")

    monkeypatch.setattr(process, "_load", fail)
    old = types.SimpleNamespace(artefact=types.SimpleNamespace(writer=None), model=None)
    with pytest.raises(ConversionError, match="tf-keras does not load it: KeyError: 'partitioner'"):
        process._loaded(old, types.SimpleNamespace(__name__="tf_keras"))


def test_outputs_of_images_that_must_not_be_small_are_compared() -> None:
    class Model(types.SimpleNamespace):
        def __call__(self, image: Any, training: bool) -> Any:
            if image.shape[1] < 9:
                raise ValueError("too small")
            return image.sum() * self.factor

    image = types.SimpleNamespace(shape=(None, None, 8, 1), dtype="float32")
    old, new = (Model(inputs=[image], weights=[], factor=factor, layers=[]) for factor in (1, 2))
    rebuilding = types.SimpleNamespace(layers=[], title="Keras 3", fields=[])
    assert process._check(old, old, old, rebuilding) == []
    (field,) = process._check(old, new, new, rebuilding)
    assert (field.name, field.verdict) == ("outputs", Verdict.LOST)


def test_without_the_libraries_it_says_what_is_kept_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tf_keras" else find(name)
    )
    assert not is_installed()
    source = ARTEFACTS / "2.3" / "model.h5"
    result = CliRunner().invoke(verify, [str(source), "--to", "keras3"])
    assert "state.slots" in result.stdout
    assert "noted: state.iterations = 6" in result.stdout
    assert "needs TensorFlow, tf-keras and Keras 3: pip install" in result.stdout
    with pytest.raises(MissingExtraError, match="converting a whole model needs TensorFlow and"):
        write(read(source), Generation.KERAS3, str(tmp_path / "new.keras"))


@pytest.mark.parametrize(
    ("name", "target", "output"),
    [
        ("2.3/model.h5", Generation.KERAS3, "new.keras"),
        ("2.3/weights.index", Generation.TF_KERAS, "new.keras"),
        ("2.3/weights.index", Generation.KERAS3, "new.h5"),
    ],
)
def test_a_function_is_for_checkpoints_that_become_archives_of_keras_3(
    name: str, target: Generation, output: str, tmp_path: Path
) -> None:
    with pytest.raises(ConversionError, match="--model needs a TensorFlow checkpoint"):
        write(read(ARTEFACTS / name), target, str(tmp_path / output), function="a.py:f")


def test_inputs_of_text_are_compared_too() -> None:
    tensor = types.SimpleNamespace(shape=(None, 3), dtype="string")
    assert process._probe(tensor, whole=True).tolist() == [["a"] * 3] * 2
