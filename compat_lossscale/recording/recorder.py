# SPDX-License-Identifier: Apache-2.0
"""Records how a TensorFlow program trains, without editing the program.

    python lossscale_recorder.py -o before.lsr [--steps N] [--seed N] train.py ARGS
    python lossscale_recorder.py -o before.lsr [--steps N] [--seed N] -m MODULE ARGS

This is one file for Python 3.6 to 3.13 that needs nothing but the standard library. It records
programs for TensorFlow 1.14 to 2.22 with Keras 2, tf-keras or Keras 3. `compat-lossscale compare`
reads the recording; "Prove your migration" in the documentation describes the format.

The program runs in this process, prints what it prints, and exits as it exits. The classes of
optimizers, tf.function and Session are wrapped when TensorFlow has been imported. After a step, the
optimizer's variables are read from outside; no operation is added to a graph of the program.
"""

import argparse
import base64
import contextlib
import functools
import gzip
import hashlib
import importlib.machinery
import itertools
import json
import operator
import os
import pkgutil
import platform
import random
import re
import runpy
import shutil
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
import types
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

VERSION = 1
"""The version of the format."""
VARIABLES = "variables"
"""How the variables themselves are called where slots have their names."""
PROJECTIONS = 4
_BLOCK = 1 << 16
_FOLDED = 64
_LONGEST_LINE = 500
_MOST_LINES = 20000
_MOST_CALLS = 20
_WHOLE_BATCH = 1 << 23
"""Larger arrays of data are digested in part."""
_OPTIMIZERS = (
    r"training\.optimizer\.Optimizer|optimizer_v2\.OptimizerV2|optimizer\._BaseOptimizer|"
    r"base_optimizer\.BaseOptimizer|loss_scale_optimizer\.BaseLossScaleOptimizer"
)
"""The base classes of optimizers: how the names of module and class end, as in the next ones."""
_WRAPPERS = r"loss_scale_optimizer\.\w+|compat_lossscale\.optimizers\.keras(_legacy)?\.\w+"
"""Classes whose methods are wrapped before they have objects, which may change their class."""
_TRAINERS = r"TensorFlowTrainer|JAXTrainer|TorchTrainer"
_MODELS = r"Model|Network|Trainer|" + _TRAINERS
_POLICIES = (
    r"mixed_precision(\.experimental)?\.policy|compat_lossscale\.(policies|keras3\.experimental)"
)
_VARIABLES = r"ResourceVariable|UnliftedInitializerVariable|KerasVariable|Variable"
_SAVERS = r"training\.saver\.Saver|(util|checkpoint)\.TrackableSaver"
_GENERATORS = r"stateful_random_ops\.Generator|seed_generator\.SeedGenerator"
_ITERATORS = ("OwnedIterator", "DistributedIterator")
_DRAWING = ("tf_keras.src.backend", "keras.src.backend", "keras.src.random.seed_generator")
_RANDOM_LAYERS = (
    r"Random\w+|(Gaussian|Alpha)Dropout|GaussianNoise|BaseImage(Augmentation|Preprocessing)Layer"
)
_INITIALIZERS = "init_ops|initializers"
_NOT_ITS_OWN = _INITIALIZERS + r"|[/\\](tf_)?keras[/\\]"
"""Files of what draws for itself, and not for the program."""
_PACKAGES = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "compat_lossscale", "numpy")
"""The packages whose modules are looked at: TensorFlow 1.15 and 2.0 are in two."""
_SCALES = ("_current_loss_scale", "current_loss_scale", "_loss_scale_value", "_loss_scale",
           "dynamic_scale")  # fmt: skip
_GOOD_STEPS = ("_num_good_steps", "counter", "num_good_steps", "_counter", "dynamic_counter",
               "step_counter")  # fmt: skip
_INITIAL = ("initial_scale", "initial_loss_scale", "_initial_loss_scale", "_loss_scale_value")
_GROWTH = ("dynamic_growth_steps", "increment_period", "_increment_period", "growth_steps")
_ASKING = ("__getattribute__", "__getattr__", "__setattr__")
_CALLS = r"^(Stateless)?(If|Case|While)$|PartitionedCall$"
"""Operations that call functions."""
_INNER = ("inner_optimizer", "_optimizer", "_opt")
_MARK = "_lossscale_recorder_optimizers"
_NOT_COPIED = (".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox")
LARGEST_COPY = 2 * 2**30
LATE = (
    "the first gradients were computed before the variables had the values to start from: build "
    "the model before the first step"
)
_COPY = re.compile(r"/replica_\d+$")
_LAST_DIGIT = (("bfloat16", 2.0**-8), ("float16", 2.0**-11))
"""The last digit of a number as a part of it, by what is in a policy's name. For float32, it is
eight times its last digit, which does about as much as the kernels of another Keras."""


class RecordingError(Exception):
    """A recording that this recorder is to begin with cannot be used."""


class _Ended(SystemExit):
    """Ends the program after the steps that were asked for."""


class _Local(threading.local):
    """Whether a thread applies gradients or executes whole steps, and whose it has traced."""

    applying = False
    calling = False
    traced: "Optional[Dict[int, _Optimizer]]" = None


class Writer:
    """Writes a recording: lines of JSON, compressed, up to a size."""

    def __init__(self, path: str, limit: int) -> None:
        """Opens the file.

        Args:
            path: The recording. A file that is there is replaced.
            limit: The number of compressed bytes after which only the end is written.
        """
        self._raw = open(path, "wb")
        self._file = gzip.GzipFile("", "wb", 1, self._raw, 0)
        self._lock = threading.Lock()
        self._limit = limit
        self._flushed = 0.0  # a program that is killed soon has at least a header
        self._pid = os.getpid()
        self.cut = False

    def put(self, kind: str, **values: Any) -> None:
        """Writes one line."""
        line = json.dumps(dict(values, t=kind), separators=(",", ":"), sort_keys=True)
        with self._lock:
            if self._file.closed or os.getpid() != self._pid:
                return  # a process that the program forked
            self.cut = self.cut or self._raw.tell() + len(line) > self._limit
            if not self.cut or kind == "end":
                self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
            if time.time() - self._flushed > 5:
                # What a killed program did until then can be read.
                self._file.flush()
                self._raw.flush()
                self._flushed = time.time()

    def close(self, other: str = "") -> None:
        """Writes what is left, and takes in another recording, if there is one."""
        with self._lock:
            if os.getpid() == self._pid:
                self._file.close()
                if os.path.exists(other):
                    with open(other, "rb") as again:
                        shutil.copyfileobj(again, self._raw)
                    os.remove(other)
                self._raw.close()


def kept_in(path: str) -> Tuple[Dict[int, Dict[str, Any]], List[Any], List[Any]]:
    """Returns what a recording keeps to begin another one with.

    Returns:
        The optimizers by their numbers; the batches; and of each variable when it was made, its
        name and its value.

    Raises:
        RecordingError: It is no recording, it is damaged, or it keeps nothing.
    """
    optimizers: Dict[int, Dict[str, Any]] = {}
    initial: List[Any] = []
    batches: List[Any] = []
    starts: List[Any] = []
    try:
        lines = []
        with gzip.open(path, "rb") as file, contextlib.suppress(EOFError):
            for content in file:  # It may be broken off, if the program was killed.
                lines.append(json.loads(content.decode("utf-8")))
        if [line["t"] for line in lines[:1]] != ["lossscale-recording"]:
            raise ValueError("it is no recording")
        for line in lines[1:]:
            if line["t"] == "lossscale-recording":
                break  # the second run of --twice
            if line["t"] == "optimizer":
                parts = dict({"order": [0] * len(line["names"]), "initial": []}, **line)
                known = optimizers.setdefault(line["o"], {})
                for key in ("names", "shapes", "order", "initial"):
                    known.setdefault(key, []).extend(parts[key])
                initial = known["initial"]
            elif line["t"] == "initial":
                initial.append(line["value"])
            elif line["t"] == "untrained":
                starts.append((line["order"], line["name"], line["value"]))
            elif line["t"] == "batch":
                batches.append(line["arrays"])
        trained: List[Any] = []
        for line in optimizers.values():
            trained += zip(line["order"], line["names"], line["initial"])
        orders = {order for order, _, _ in trained}  # Another optimizer can train it later.
        starts = trained + [one for one in starts if one[0] not in orders]
        starts.sort(key=operator.itemgetter(0))
    except (OSError, EOFError, ValueError, LookupError, TypeError) as error:
        raise RecordingError("%s cannot be read: %s" % (path, error)) from None
    if not batches and not any(line["initial"] for line in optimizers.values()):
        message = "%s has no initial values: record a step --with-initial-values, within --limit"
        raise RecordingError(message % path)
    return optimizers, batches, [(_general(name), value) for _, name, value in starts]


class Numbers:
    """Digests of arrays, and a few numbers that give a difference its size.

    Nothing here calls BLAS, whose threads would compete with those of TensorFlow.
    """

    def __init__(self, numpy: Any) -> None:
        """Keeps NumPy, which the program has imported."""
        self._numpy = numpy
        # This generator gives the same bytes in every version of NumPy.
        source = numpy.random.RandomState(20)

        def signs(count: int) -> Any:
            bits = numpy.unpackbits(numpy.frombuffer(source.bytes(count // 8), numpy.uint8))
            return bits * 2.0 - 1.0

        self._signs = signs(_BLOCK).reshape(-1, _FOLDED)
        self._rows = numpy.empty_like(self._signs)  # a block of an array at a time
        self._block_signs = signs(1024)
        self._mixing = signs(PROJECTIONS * _FOLDED).reshape(PROJECTIONS, _FOLDED)

    def signs(self, shape: Sequence[int]) -> Any:
        """Returns an array of pseudo-random signs, the same for each shape."""
        return self._numpy.resize(self._signs, shape)

    def digest(self, array: Any) -> str:
        """Returns 16 hexadecimal digits of the bits of an array."""
        array = self._numpy.ascontiguousarray(array)
        wide = {"float64": "float32", "int32": "int64"}.get(array.dtype.name)
        if wide:  # Keras 3's `to_categorical` gives the one, and JAX the other
            array = array.astype(wide)
        if array.dtype.hasobject:
            return digest(repr(array.tolist()).encode("utf-8", "backslashreplace"))
        flat = array.reshape(-1)[:: 1 + array.nbytes // _WHOLE_BATCH]
        return digest(self._numpy.ascontiguousarray(flat).view(self._numpy.uint8))

    def of(self, array: Any) -> List[Any]:
        """Returns what is written of an array.

        It is the digest of its bits, the Euclidean norm and the largest magnitude of its finite
        elements, how many are not finite, and its products with pseudo-random signs.
        """
        numpy = self._numpy
        flat = numpy.ascontiguousarray(array).reshape(-1)
        folded = numpy.zeros(_FOLDED)
        squares, largest, odd = 0.0, 0.0, 0
        for number, first in enumerate(range(0, flat.size, _BLOCK)):
            part = flat[first : first + _BLOCK]
            rows = self._rows[: -(-part.size // _FOLDED)]
            values = rows.reshape(-1)
            values[: part.size], values[part.size :] = part, 0.0
            square = numpy.einsum("ij,ij->", rows, rows)
            if not square < float("inf"):
                bad = ~numpy.isfinite(values)
                odd, values[bad] = odd + int(bad.sum()), 0.0
                square = numpy.einsum("ij,ij->", rows, rows)
            product = numpy.einsum("ij,ij->j", rows, self._signs[: len(rows)])
            folded += product * self._block_signs[number % len(self._block_signs)]
            squares += square
            largest = max(largest, float(values.max()), -float(values.min()))
        products = numpy.einsum("pf,f->p", self._mixing, folded).tolist()
        return [digest(flat.view(numpy.uint8)), float(squares**0.5), largest, odd, *products]


def digest(content: Any) -> str:
    """Returns 16 hexadecimal digits of bytes."""
    return hashlib.sha256(content).hexdigest()[:16]


def packed(array: Any) -> List[Any]:
    """Returns an array as data that JSON can carry."""
    content: Any = base64.b64encode(array.tobytes()).decode("ascii")
    if array.dtype.hasobject:  # text
        texts = [one if isinstance(one, bytes) else str(one).encode() for one in array.flat]
        content = [base64.b64encode(text).decode("ascii") for text in texts]
    return [str(array.dtype), list(array.shape), content]


def unpacked(numpy: Any, value: Sequence[Any]) -> Any:
    """Returns the array that `packed` packed."""
    kind, shape, content = value
    if isinstance(content, list):
        return numpy.array([*map(base64.b64decode, content)], object).reshape(shape)
    return numpy.frombuffer(base64.b64decode(content), kind).reshape(shape)


class ProgramPlaces:
    """Tells the program's own files from those of Python, of packages and of this recorder."""

    def __init__(self, folder: str) -> None:
        """Keeps the program's folder."""
        self.folder = folder
        paths = [sysconfig.get_paths().get(name) for name in ("stdlib", "platstdlib")]
        self._others = tuple(os.path.realpath(path) + os.sep for path in paths if path)
        # Up to TensorFlow 2.4, what AutoGraph makes of a function is in such files.
        self._generated = (os.path.realpath(tempfile.gettempdir()), "tmp")
        self._known: Dict[str, Optional[str]] = {__file__: None}

    def name_of(self, file: str) -> Optional[str]:
        """Returns the name of a file of the program in its folder; `None` for others."""
        if file not in self._known:
            path = os.path.realpath(file)
            others = ("site-packages", "dist-packages", os.sep + "compat_lossscale" + os.sep)
            other = (
                file.startswith("<")
                or path.startswith(self._others)
                or any(part in path for part in others)
                or path == os.path.realpath(__file__)
                or self.is_generated(file)
            )
            inside = path.startswith(self.folder + os.sep)
            name = os.path.relpath(path, self.folder) if inside else os.path.basename(path)
            self._known[file] = None if other else name.replace(os.sep, "/")
        return self._known[file]

    def is_generated(self, file: str) -> bool:
        """Whether a file is what AutoGraph makes of a function."""
        folder, name = os.path.split(os.path.realpath(file))
        return "__autograph_generated" in name or (folder, name[:3]) == self._generated

    def stack(self, frame: Any) -> Iterator[str]:
        """Yields the lines of the program that are being run, the innermost first."""
        while frame is not None and frame.f_code is not _execute.__code__:
            name = self.name_of(frame.f_code.co_filename)
            if name is not None:
                yield "%s:%d" % (name, frame.f_lineno)
            frame = frame.f_back

    def here(self) -> str:
        """Returns the line of the program that is being run, as `train.py:12`."""
        return next(self.stack(sys._getframe(1)), "")

    def of_traceback(self, trace: Any) -> List[str]:
        """Returns the lines of the program in a traceback, the innermost first."""
        named = [(self.name_of(f.f_code.co_filename), n) for f, n in traceback.walk_tb(trace)]
        return ["%s:%d" % one for one in named if one[0] is not None][::-1][:_MOST_CALLS]


class _Optimizer:
    """What is known of one optimizer.

    Attributes:
        kind: Its class.
        outer: The optimizer that wraps it, or itself, if that is known.
        at: The line of the program that made it.
        number: Its number among those that have applied gradients; -1 until then.
        variables: The variables that it updates, as they came.
        steps: The variable that counts steps, if the program gave one.
        seen: How often it was observed.
        last: The digest that was seen of each variable and slot, by its kind and place.
        described: How many of its variables have been written; -1 if nothing of it has.
        is_hidden: Whether it applies gradients where nobody may see the step.
        skips: Whether it can skip a step: an optimizer with a fixed loss scale never does.
    """

    def __init__(self, made: Any, at: str) -> None:
        self._kept: Any = None
        self._reference: Any = weakref.ref(made, self._forget)
        self.kind = type(made).__name__
        self.outer: Optional[_Optimizer] = None
        self.at = at
        self.number = -1
        self.variables: List[Any] = []
        self.known: Any = set()
        self.steps: Any = None
        self.seen = 0
        self.last: Dict[Tuple[str, int], str] = {}
        self.described = -1
        self.is_hidden = False
        self.skips = False

    @property
    def is_new(self) -> bool:
        """Whether it, or a variable that it got later, has not been written."""
        return self.described < len(self.variables)

    @property
    def object(self) -> Any:
        """The optimizer; `None` if the program has given it up."""
        return self._reference()

    def keep(self) -> None:
        """Keeps an optimizer whose operations are in a graph, where nobody else has to."""
        self._kept = self.object

    def _forget(self, _: Any) -> None:
        self.variables = []
        self.steps = None

    def add(self, variables: Sequence[Any]) -> None:
        """Adds variables that it updates."""
        for variable in variables:
            # In a graph, a mirrored variable is its copy on the first replica, and the other copies
            # have the same values.
            element = fetchable(variable)
            key = id(variable if element is None else element)
            if key not in self.known and "/replica_" not in _name(variable):
                self.known.add(key)
                self.variables.append(variable)

    def innermost(self) -> Any:
        """Returns the optimizer inside all wrappers."""
        found = inner = self.object
        while inner is not None:
            found, inner = inner, inner_of(inner)
        return found


def inner_of(optimizer: Any) -> Any:
    """Returns the optimizer that another one wraps, or `None`."""
    if not _has_scale(optimizer):
        return None
    for name in _INNER:
        found = _attribute(optimizer, name)
        if found is not None and hasattr(found, "apply_gradients") and found is not optimizer:
            return found
    return None


def _has_scale(optimizer: Any) -> bool:
    return any("LossScale" in one.__name__ for one in type(optimizer).__mro__)


def _attribute(value: Any, *names: str) -> Any:
    """Returns the first attribute that is there and not `None`, or `None`."""
    for name in names:
        try:
            found = getattr(value, name, None)
        except Exception:
            continue
        if found is not None:
            return found
    return None


def _steps_in(function: Any) -> Dict[int, _Optimizer]:
    """Returns the optimizers, by their numbers, whose steps are in a function or its graph."""
    found = _attribute(function, _MARK)
    if found is None:
        found = {}
        setattr(function, _MARK, found)
    return found  # type: ignore[no-any-return]


def _given(args: Sequence[Any], options: Dict[str, Any], place: int, name: str) -> Any:
    """Returns an argument that is given by its place or by its name, or `None`."""
    return args[place] if len(args) > place else options.get(name)


def _name(variable: Any) -> str:
    return str(_attribute(variable, "path", "name") or "").split(":")[0]


def _general(name: str) -> str:
    """Returns the name of a variable without what only one generation of Keras calls it."""
    return name.replace("depthwise_kernel", "kernel")


def _order(variable: Any) -> int:
    """Returns a number that is larger for variables that were made later; 0 if there is none."""
    number = str(_attribute(variable, "_unique_id")).rpartition("_")[2]
    return int(number) if number.isdigit() else 0


def _is_variable(value: Any) -> bool:
    return hasattr(value, "assign") and hasattr(value, "shape")


def _varies(array: Any) -> bool:
    return array is not None and array.size > 0 and bool((array != array.flat[0]).any())


def _kind(value: Any) -> str:
    return "%s.%s" % (type(value).__module__, type(value).__name__)


def _shape(variable: Any) -> List[Any]:
    shape = _attribute(variable, "shape")
    sizes = shape.as_list() if hasattr(shape, "as_list") else list(shape or ())
    return [None if size is None else int(size) for size in sizes]


def _in_holders(optimizer: Any, *names: str) -> Iterator[Any]:
    """Yields what holds the loss scale of an optimizer, or the optimizer, has by these names."""
    holders = [_attribute(optimizer, name) for name in ("_loss_scale_manager", "_loss_scale")]
    for holder in [*holders, optimizer]:
        found = (_attribute(holder, name) for name in names if not _is_variable(holder))
        yield from (one for one in found if one is not None)


def scale_and_good_steps(optimizer: Any) -> Tuple[Any, Any]:
    """Returns the loss scale and the count of good steps of an optimizer.

    Each is a variable, a number, or `None` if there is none.
    """
    if not _has_scale(optimizer):
        return None, None
    scales = [_attribute(optimizer, "_loss_scale"), *_in_holders(optimizer, *_SCALES)]
    return (
        next((one for one in scales if isinstance(one, (int, float)) or _is_variable(one)), None),
        next(filter(_is_variable, _in_holders(optimizer, *_GOOD_STEPS)), None),
    )


def loss_scale_settings(value: Any) -> Optional[str]:
    """Returns the loss scale that an optimizer, a policy or a loss scale was made with, as text."""
    fixed = _attribute(value, "_loss_scale")
    initial = [fixed] if isinstance(fixed, (int, float)) else _in_holders(value, *_INITIAL)
    numbers = (_plain(_numpy(one)) for one in initial)
    scale = next((one for one in numbers if one is not None), None)
    growth = next(_in_holders(value, *_GROWTH), None)
    if scale is None:
        return None
    if growth is None:
        return "fixed %.9g" % scale
    return "dynamic %.9g %.9g" % (scale, _plain(growth))


def slots_of(optimizer: Any, variables: Sequence[Any]) -> Dict[str, List[Any]]:
    """Returns the slots of an optimizer that wraps no other one.

    They are, for each name of a slot, the variable of each of `variables`, or `None`.
    """
    if hasattr(optimizer, "get_slot_names"):
        get = optimizer.get_slot
        names = optimizer.get_slot_names()
        return {name: [_tried(get, variable, name) for variable in variables] for name in names}
    found = {}
    shapes = [_shape(variable) for variable in variables]
    for name, value in sorted(vars(optimizer).items()):
        if name in ("_trainable_variables", "_variables", "variables"):
            continue
        is_list = isinstance(value, (list, tuple)) and len(value) == len(variables) and len(value)
        if is_list and all(map(_is_variable, value)) and [_shape(one) for one in value] == shapes:
            found[name] = list(value)
    return found


def fetchable(variable: Any) -> Any:
    """Returns what a session can fetch of a variable without a new operation, or `None`."""
    for _ in range(5):
        values = _attribute(variable, "_values", "_primary_var")
        if isinstance(values, (list, tuple)):
            variable = values[0]
            continue
        element = _attribute(variable, "_graph_element")
        if element is not None:
            return element
        inner = _attribute(variable, "_variable")
        if inner is None or not _is_variable(inner):
            return inner  # the reference of a variable of TensorFlow 1
        variable = inner
    return None


class TrainingRecorder:
    """Records one program."""

    def __init__(self, options: Any, folder: str) -> None:
        """Opens the recording of a program in a folder, by the options of the command line."""
        self.options = options
        self.places = ProgramPlaces(folder)
        self.local = _Local()
        self.busy = threading.RLock()
        self.policy: Any = None  # what the thread that calls a `tf.function` has
        self.on = True
        self.optimizers: List[_Optimizer] = []
        self.by_id: Dict[int, _Optimizer] = {}
        self.applied: List[_Optimizer] = []
        self.traced: Optional[Dict[int, _Optimizer]] = None  # in the call that is going on
        self.graph_steps: Dict[int, List[Tuple[Any, Any]]] = {}
        self.executed: Dict[Any, Dict[int, _Optimizer]] = {}
        self.problems: Dict[str, int] = {}
        self.threads: Any = set()
        self.ended: Any = set()  # the threads that --steps has ended
        self.observed: Dict[Tuple[str, int, str, str], int] = {}
        self.numbers: Any = None
        self.draws: List[Any] = [0, ""]
        self.drawn: Dict[Any, int] = {}  # the seeds of the program's own draws, by their places
        self.shuffled = False
        self.fixed = False  # whether --fix-random changed anything
        self.line = ""
        self.lines = 0
        self.start_from: Dict[int, Dict[str, Any]] = {}
        self.starts: List[Tuple[str, Any]] = []
        self.started: Dict[int, str] = {}
        self.waiting: List[Any] = []  # variables that a function makes, and their values
        self.new: List[Any] = []  # references of variables, for --with-initial-values
        self.batches: List[Any] = []
        self.fits = False  # whether `fit` is to make a dataset of its generator
        self.element: Any = None  # what a loop over a dataset got last
        self.fed: List[Optional[str]] = []  # digests of what a generator gave for the next steps
        self.kept = 0
        self.executions: Any = None
        if options.start_from:
            self.start_from, self.batches, self.starts = kept_in(options.start_from)
        self.wrappings = list(self._wrappings())
        self.out = Writer(options.output, options.limit * 2**20)

    # What the hooks call. Nothing that goes wrong here may reach the program.

    def guarded(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls a function, and notes what it raises, except for the end of the program."""
        if not self.on:
            return None
        try:
            with self.busy:
                return function(*args)
        except _Ended:
            raise
        except Exception as error:
            problem = "%s: %s: %s" % (function.__name__, type(error).__name__, str(error)[:200])
            self.problems[problem] = self.problems.get(problem, 0) + 1
            return None

    def hooked(self, before: Any = None, after: Any = None) -> Callable[..., Any]:
        """Returns what `wrap` takes to call hooks around a function.

        Both get the arguments, a tuple and a dictionary, and the one after it the result, too.
        """

        def call(original: Any, args: Any, options: Any) -> Any:
            if before is not None:
                self.guarded(before, args, options)
            result = original(*args, **options)
            if after is not None:
                self.guarded(after, args, options, result)
            return result

        return call

    @property
    def tensorflow(self) -> Any:
        """TensorFlow, or `None` before the program imports it."""
        return sys.modules.get("tensorflow")

    @property
    def numpy(self) -> Any:
        """NumPy; the program has imported it, as TensorFlow imports it."""
        return sys.modules["numpy"]

    def note(self, what: str, kind: str, nearest: bool = False) -> None:
        """Notes what came by at a place, if the program itself asks there.

        With `nearest`, it is the nearest line of the program, whoever asks.
        """
        frame: Any = sys._getframe(1)
        while frame.f_code.co_filename == __file__ or frame.f_code.co_name in _ASKING:
            frame = frame.f_back
        if not nearest and self.places.name_of(frame.f_code.co_filename) is None:
            return
        file, _, line = next(self.places.stack(frame), "").rpartition(":")
        if file:
            key = (file, int(line), what, kind)
            self.observed[key] = self.observed.get(key, 0) + 1

    def made(self, optimizer: Any) -> None:
        """Notes an optimizer, and wraps what its classes have for applying gradients."""
        known = self.by_id.get(id(optimizer))
        if known is not None and known.object is optimizer:
            return
        what = "wrapped" if _has_scale(optimizer) else "made"
        self.note(what, _kind(optimizer), nearest=True)
        one = _Optimizer(optimizer, self.places.here())
        self.optimizers.append(one)
        self.by_id[id(optimizer)] = one
        for base in type(optimizer).__mro__:
            self._wrap_methods(base)

    def _wrap_methods(self, base: Any) -> None:
        wrap(base, "loss_scale", self.hooked(self._asked_for_scale))
        for name in ("apply_gradients", "apply"):
            wrap(base, name, self._applying)
        if "LossScaleOptimizer" in base.__name__:
            wrap(base, "__init__", self.hooked(after=self._wrapper_made))
            wrap(base, "_wrap", self.hooked(after=self._scale_given))
        for name in ("__getattribute__", "__setattr__"):
            if base is not object:
                wrap(base, name, self._asking)

    def _asking(self, original: Any, args: Any, options: Any) -> Any:
        if args[1] == "lr":
            self.guarded(self.note, "lr", _kind(args[0]))
        return original(*args, **options)

    def _asked_for_scale(self, args: Any, _: Any) -> None:
        self.note("loss_scale", _kind(args[0]))

    def _wrapper_made(self, args: Any, *_: Any) -> None:
        if not hasattr(args[0], "_wrap"):  # else it is ours, and gets its loss scale later
            self._scale_given(args)

    def _scale_given(self, args: Any, *_: Any) -> None:
        scale = _attribute(args[0], "_loss_scale")
        kind = "%s %s" % (_kind(scale), loss_scale_settings(args[0]))
        self.note("scale", kind, nearest=True)

    def _policy_made(self, args: Any, *_: Any) -> None:
        if hasattr(args[0], "_loss_scale"):
            kind = "policy %s: %s" % (_attribute(args[0], "name"), loss_scale_settings(args[0]))
            self.note("policy", kind, nearest=True)

    def _compiled(self, args: Any, *_: Any) -> None:
        self.note("compile", _kind(_attribute(args[0], "optimizer")))

    def _applying(self, method: Any, args: Any, options: Any) -> Any:
        if not self.on or self.local.applying or _is_stateless():
            self.guarded(self._hide, args[0])
            return method(*args, **options)
        for name in ("grads_and_vars", "grads"):
            if name in options:
                args = (*args, options.pop(name))
        if not isinstance(args[1], (list, tuple)):
            args = (args[0], list(args[1]), *args[2:])
        self.local.applying = True
        try:
            one = self.guarded(self._before_apply, args, options)
            result = method(*args, **options)
        finally:
            self.local.applying = False
        if one is not None:
            self.guarded(self._after_apply, one, result)
        return result

    def _hide(self, optimizer: Any) -> None:
        if not self.local.applying:
            self.outermost(optimizer).is_hidden = True

    def outermost(self, optimizer: Any) -> _Optimizer:
        """Returns what is known of an optimizer, or of the one that wraps it."""
        self.made(optimizer)
        found = self.by_id[id(optimizer)]
        if found.outer is None or found.outer.object is None:
            around = [one for one in self.optimizers if inner_of(one.object) is optimizer]
            found.outer = self.outermost(around[0].object) if around else found
        return found.outer

    def _before_apply(self, args: Any, options: Any) -> Any:
        optimizer, gradients = args[:2]
        one = self.outermost(optimizer)
        pairs = [pair for pair in gradients if isinstance(pair, tuple) and len(pair) == 2]
        variables = [variable for gradient, variable in pairs if gradient is not None]
        if not pairs:
            given = _given(args, options, 2, "trainable_variables")
            variables = list(given or _attribute(optimizer, "_trainable_variables") or ())
        one.add(variables)
        steps = _given(args if pairs else (), options, 2, "global_step")
        if _is_variable(steps):
            one.steps = steps
        self.begin(one)
        return one

    def begin(self, one: _Optimizer) -> None:
        """Begins to record an optimizer, which is about to apply gradients, and its variables."""
        if one.number < 0:
            one.number = len(self.applied)
            self.applied.append(one)
        self._describe_new()

    def _describe_new(self, *_: Any) -> None:
        """Describes new optimizers and variables, if these have values by now."""
        new = [one for one in self.applied if one.is_new]
        if not new or not self.eager_outside():
            return
        with self.outside():
            for one in new:
                variables = one.variables[max(one.described, 0) :]
                arrays = self._eager_values(variables)
                shapes = [None if array is None else list(array.shape) for array in arrays]
                if shapes == [_shape(variable) for variable in variables]:
                    self._describe(one, self._eager_values)

    def _after_apply(self, one: _Optimizer, result: Any) -> None:
        calling = self.called()
        if self.eager() and not self.local.calling:
            self.observe([one], self._eager_values, self.element)
        elif calling is not None:
            calling[one.number] = one
        else:
            graph = self.tensorflow.compat.v1.get_default_graph()
            operation = _attribute(result, "op") or result
            while _attribute(graph, "outer_graph") is not None:  # what is called elsewhere
                _steps_in(graph)[one.number] = one
                one.is_hidden = True
                graph, operation = graph.outer_graph, None
            if operation is None or hasattr(operation, "control_inputs"):
                self.graph_steps.setdefault(id(graph), []).append((operation, one))
                one.keep()

    def called(self) -> Optional[Dict[int, _Optimizer]]:
        """Returns the optimizers of the `tf.function` that this thread calls.

        A thread of a replica calls none: it is that of another thread.
        """
        return self.traced if self.local.traced is None else self.local.traced

    def eager(self) -> bool:
        """Whether operations are executed where they stand."""
        tensorflow = self.tensorflow
        return tensorflow is None or bool(tensorflow.executing_eagerly())

    def outside(self) -> Any:
        """Returns a context outside of all functions."""
        tensorflow = self.tensorflow
        return contextlib.ExitStack() if tensorflow is None else tensorflow.init_scope()

    def eager_outside(self) -> bool:
        """Whether operations are executed where they stand outside of all functions."""
        with self.outside():
            return self.eager()

    def _eager_values(self, things: Sequence[Any]) -> List[Any]:
        return [self._eager_value(thing) for thing in things]

    def _eager_value(self, thing: Any) -> Any:
        for name in ("_value", "_variable"):  # of Keras 3, and of variables that cast themselves
            inner = getattr(thing, "__dict__", {}).get(name)
            thing = thing if inner is None else inner
        if type(thing).__name__ not in ("ResourceVariable", "UnliftedInitializerVariable"):
            return _numpy(thing)
        try:
            # A sixth of what its method `numpy` takes.
            read = self.tensorflow.raw_ops.ReadVariableOp
            return self.numpy.asarray(read(resource=thing.handle, dtype=thing.dtype))
        except Exception:
            return None

    def _session_values(self, session: Any, things: Sequence[Any]) -> List[Any]:
        values = [thing if isinstance(thing, (int, float)) else None for thing in things]
        known = enumerate(map(fetchable, things))
        fetches = {place: fetch for place, fetch in known if fetch is not None}
        wanted = list(fetches.values())
        found = _tried(_fetched, session, wanted) or [_tried(_fetched, session, x) for x in wanted]
        for place, value in zip(fetches, found):
            values[place] = value
        return values

    def _describe(self, one: _Optimizer, values: Any, session: Any = None) -> None:
        """Writes what an optimizer is and begins with; then the variables that it got later."""
        if not one.is_new:
            return  # Another thread was here.
        start, one.described = max(one.described, 0), len(one.variables)
        new = one.variables[start:]
        if self.start_from:
            self.guarded(self._start_from, one, start, session)
        arrays = values(new)
        scale, _ = scale_and_good_steps(one.object)
        line = dict(
            self._about(one),
            o=one.number,
            policy=self._policy(),
            names=[_name(variable) for variable in new],
            shapes=[_shape(variable) for variable in new],
            order=[_order(variable) for variable in new],
            digests=self._changes(one, VARIABLES, arrays, start),
        )
        line["scale"] = _plain(values([scale])[0])
        one.skips = line["scaled"] and not str(line["settings"]).startswith("fixed")
        if one.number == start == 0 and self.options.with_initial_values:
            self.guarded(self._put_untrained, values if session else self._eager_values, session)
        self.out.put("optimizer", **line)
        for array in arrays if self.options.with_initial_values else ():
            self.out.put("initial", value=None if array is None else packed(array))

    def _put_untrained(self, values: Any, session: Any) -> None:
        """Writes variables that no optimizer has as yet, such as those of frozen layers."""
        known = {_order(v) or -id(v) for one in self.applied for v in one.variables}
        made = session.graph.get_collection("variables") if session else [v() for v in self.new]
        new = {_order(variable) or -id(variable): variable for variable in made}
        orders = sorted({*new} - known)
        for order, array in zip(orders, values([new[order] for order in orders])):
            name = _name(new[order])
            if _varies(array) and array.dtype.kind == "f" and _COPY.sub("", name) == name:
                self.out.put("untrained", order=order, name=name, value=packed(array))

    def _about(self, one: _Optimizer) -> Dict[str, Any]:
        """Returns what an optimizer is: its classes, its place, and what it was made with."""
        inner = one.innermost()
        scaled = _has_scale(one.object)
        return {
            "class": type(one.object).__name__,
            "inner": type(inner).__name__,
            "wrapped": inner is not one.object,
            "scaled": scaled,
            "settings": _tried(loss_scale_settings, one.object) if scaled else None,
            "config": _tried(self._config, inner) or {},
            "at": one.at,
        }

    def _config(self, optimizer: Any) -> Dict[str, Any]:
        """Returns the numbers that an optimizer was made with."""
        found: Dict[str, Any] = {}
        if self.eager():
            config = _tried(optimizer.get_config) if hasattr(optimizer, "get_config") else None
            found.update(config or {})
        if not found:
            given = vars(optimizer)
            numbers = {n.lstrip("_"): v for n, v in given.items() if isinstance(v, (int, float))}
            found = dict(numbers, **(_attribute(optimizer, "_hyper") or {}))
        plain = {name: _jsonable(value) for name, value in found.items()}
        return {name: value for name, value in plain.items() if value is not None}

    def _policy(self) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return self.policy  # Keras 3 has one for each thread, such as that of a replica
        roots = ("tf_keras", "keras", "tensorflow.keras", "tensorflow.python.keras.api")
        homes = [_attribute(sys.modules.get(root), "mixed_precision") for root in roots]
        places = [place for home in homes for place in (home, _attribute(home, "experimental"))]
        policies = (_tried(_attribute(place, "global_policy") or str) for place in places)
        return next((str(_attribute(policy, "name")) for policy in policies if policy), None)

    def _new_variable(self, args: Any, *__: Any) -> None:
        """Gives a new variable the next value of its kind and shape in the other recording.

        The first gradients may be computed before it is known what an optimizer updates.
        """
        variable, name = args[0], _general(_name(args[0]))
        if self.options.with_initial_values and _order(variable):
            self.new.append(weakref.ref(variable))
        inner = _attribute(variable, "_value")  # of Keras 3 on TensorFlow, without its layer's name
        is_mirrored = isinstance(_attribute(inner, "_values"), (list, tuple))
        if not self.starts or _is_stateless() or is_mirrored or not self.eager_outside():
            return
        made = inner if _is_variable(inner) else variable
        with self.outside():
            value = self._eager_value(made)
        first = _COPY.sub("", name)  # the name on the first replica
        kind, shape = first.rpartition("/")[2], _shape(variable)
        if getattr(value, "shape", None) == tuple(shape) and not _varies(value):
            return  # It begins so in every run, as slots do.
        fitting = [
            (place, known, content)
            for place, (known, content) in enumerate(self.starts)
            if known.rpartition("/")[2] == kind and content is not None and content[1] == shape
        ]
        found = []
        if not _is_variable(inner):
            taken = None if name == first else first
            found = [one for one in fitting if self.started.get(one[0]) == taken]
        if name == first:
            # A layer that nobody trains may have taken the value of one that comes later.
            named = [one for one in fitting if one[1] == first != self.started.get(one[0])]
            found = sorted(named, key=lambda one: one[0] in self.started) + found
        if found:
            place, _, content = found[0]
            self.started[place] = first
            with self.outside():
                if not self._begins(made, content):
                    self.waiting.append((made, content))

    def _begins(self, variable: Any, content: Sequence[Any]) -> bool:
        """Gives a variable a value, if it has one: it has to get one without the recorder, too."""
        has_value = getattr(self._eager_value(variable), "shape", None) == tuple(content[1])
        if has_value:
            variable.assign(self._unpacked(content))
        return has_value

    def _start_from(self, one: _Optimizer, start: int, session: Any) -> None:
        """Gives variables the values that another recording began with."""
        for variable, content in self.waiting:
            self._begins(variable, content)
        self.waiting = []
        if session:
            self._start_graph(session)
            self.starts = []
        if one.number not in self.start_from:
            return
        line, variables = self.start_from[one.number], one.variables[start:]
        stored = list(zip(line["names"], line["shapes"], line["initial"]))[start:]
        found = [content for _, _, content in stored]
        # The other recording has those that it gets later, too.
        if [shape for _, shape, _ in stored[: len(variables)]] != [*map(_shape, variables)]:
            ends = {name.split("/", 1)[-1]: content for name, _, content in stored}
            ends.update((name, content) for name, _, content in stored)
            names = map(_name, variables)
            found = [ends.get(name) or ends.get(name.split("/", 1)[-1]) for name in names]
        for variable, content in zip(variables, found):
            self._give(variable, content, session)

    def _start_graph(self, session: Any) -> None:
        """Gives the variables of a graph what those of their names began with in the other one."""
        known = dict(self.starts)
        for variable in session.graph.get_collection("variables") if known else ():
            self._give(variable, known.get(_general(_name(variable))), session)

    def _give(self, variable: Any, content: Optional[Sequence[Any]], session: Any) -> None:
        """Gives a variable a value, if there is one of its shape."""
        if content is None or content[1] != _shape(variable):
            return
        value = self._unpacked(content)
        if session is not None:
            for copy in _attribute(variable, "_values") or [variable]:
                copy.load(value, session)
            return
        may_be_late = self.local.applying and self.eager() and not self._traces()
        if may_be_late and not self.numpy.array_equal(value, self._eager_value(variable)):
            self.problems[LATE] = 1
        variable.assign(value)

    def _traces(self) -> bool:
        """Whether a `tf.function` is traced, whose gradients are computed later."""
        config = _attribute(self.tensorflow, "config")
        runs_eagerly = _attribute(config, "functions_run_eagerly")
        return self.called() is not None and not (runs_eagerly and runs_eagerly())

    def _unpacked(self, content: Sequence[Any]) -> Any:
        """Returns a value to begin with, with other last digits if that is asked for."""
        value = unpacked(self.numpy, content)
        if not self.options.nudge or value.dtype.kind != "f":
            return value
        policy = "float16" if _tried(self._is_rewritten) else str(self._policy())
        part = next((part for kind, part in _LAST_DIGIT if kind in policy), 2.0**-20)
        return (value * (1 + part * self.numbers.signs(value.shape))).astype(value.dtype)

    def observe(self, optimizers: Sequence[_Optimizer], values: Any, given: Any = None) -> None:
        """Writes what a step left in optimizers."""
        if threading.get_ident() in self.ended:
            self.end(0)
            sys.stdout.flush()
            os._exit(0)  # The program has caught what was to end it.
        self.threads.add(threading.get_ident())
        data = self._data(given, keep=given is not self.element)
        if self.fed and self.executions in (None, 1):
            fed = self.fed.pop(0)
            data = data or fed  # what is replayed is not what was fed
        for one in optimizers:
            if one.seen % self.options.every == 0 or one.seen < 2:
                self._observe(one, values, data)
            one.seen += 1
        self.draws = [0, ""]
        if 0 < self.options.steps <= self.steps_done():
            self.ended.add(threading.get_ident())
            raise _Ended(0)

    def steps_done(self) -> int:
        """Returns how many steps the first optimizer has done."""
        return self.applied[0].seen if self.applied else 0

    def _observe(self, one: _Optimizer, values: Any, data: Optional[str]) -> None:
        if one.object is None:
            return
        if one.is_new:
            self._describe(one, lambda things: [None] * len(things))
        inner = one.innermost()
        scale, good = scale_and_good_steps(one.object)
        # Not by the optimizer's property, which makes the variable where there is none.
        own = vars(inner)
        steps = next(
            (own[n] for n in ("_iterations", "iterations") if own.get(n) is not None), None
        )
        kinds = dict({VARIABLES: one.variables}, **slots_of(inner, one.variables))
        things = [steps if one.steps is None else one.steps, scale, good]
        things += [one for kind in kinds for one in kinds[kind]]
        steps, scale, good, *arrays = values(things)
        left = iter(arrays)
        changes = {
            kind: self._changes(one, kind, [next(left) for _ in kinds[kind]]) for kind in kinds
        }
        line = {
            "o": one.number,
            "n": one.seen,
            "at": self.places.here(),
            "steps": _plain(steps),
            "scale": _plain(scale),
            "good": _plain(good),
            "data": data,
            "draws": list(self.draws),
            "v": changes.pop(VARIABLES),
            "s": changes,
        }
        # The optimizer's own count counts skipped steps since TensorFlow 2.3. After a skipped step,
        # there are no good steps.
        line["applied"] = int(not one.skips or any(line["v"]) or bool(line["good"]))
        if self.options.with_values:
            variables = arrays[: len(one.variables)]
            line["values"] = [None if one is None else packed(one) for one in variables]
        self.out.put("step", **line)

    def _changes(
        self, one: _Optimizer, kind: str, arrays: Sequence[Any], start: int = 0
    ) -> List[Any]:
        """Returns what is to be written of arrays from a place on: 0 for one that is as it was."""
        found: List[Any] = []
        for place, array in enumerate(arrays, start):
            seen = None if array is None else self.numbers.of(array)
            if seen is not None:
                before, one.last[kind, place] = one.last.get((kind, place)), seen[0]
                seen = 0 if before == seen[0] else seen
            found.append(seen)
        return found

    # tf.function, Session, Keras in graph mode, and Keras on JAX.

    def _calling(
        self, call: Any, optimizers: Dict[int, _Optimizer], values: Any, given: Any
    ) -> Any:
        """Calls what executes whole steps, and observes the optimizers whose steps are in it.

        The call may add some to these. `given` has the data of the step.
        """
        self.local.calling = True
        try:
            result = call()
        finally:
            self.local.calling = False
        if optimizers:
            found = [optimizers[number] for number in sorted(optimizers)]
            self.guarded(self.observe, found, values, given)
        return result

    def _function_call(self, original: Any, args: Any, options: Any) -> Any:
        """Calls a `tf.function`, or a concrete one, which comes first of the arguments."""
        traced = _steps_in(_attribute(args[0], "graph") or args[0])
        if not self.on or self.local.calling or not self.eager():
            result = original(*args, **options)
            around = self.called()
            if around is not None:
                around.update(traced)
            return result
        if not traced:
            self.policy = self._policy()
        function, *rest = args
        given: Any = (rest, options)
        if self._fixes():
            rest, given = self._fixed(function, rest, given)
        before = self.local.traced, self.traced
        self.local.traced = self.traced = traced
        try:
            call = functools.partial(original, function, *rest, **options)
            return self._calling(call, traced, self._eager_values, given)
        finally:
            self.local.traced, self.traced = before

    def _data(self, given: Any, keep: bool = True) -> Optional[str]:
        """Returns the digest of the arrays that a step got, and keeps them if that is asked.

        What comes from an iterator in the step is not seen.
        """
        found = leaves(given)
        if any(type(leaf).__name__.endswith("Iterator") for leaf in found):
            return None
        arrays = [_numpy(leaf) for leaf in found if _is_data(leaf)]
        arrays = [array for array in arrays if array is not None]
        if not arrays:
            return None
        if keep and self.kept < self.options.fix_data:
            self.kept += 1
            self.out.put("batch", arrays=[packed(array) for array in arrays])
        digests = [self.numbers.digest(array) for array in arrays]
        return digest("".join(digests).encode())

    def _fixes(self) -> bool:
        """Whether the data of the next step is to be replayed or kept."""
        return bool(self.batches) or self.kept < self.options.fix_data

    def _fixed(self, function: Any, args: Any, given: Any) -> Any:
        """Returns what a step gets with the data of the other recording in it, and the data."""
        if len(args) == 1 and type(args[0]).__name__ in _ITERATORS:
            own = _attribute(function, "_python_function", "python_function")
            trains = _attribute(own, "__name__") == "train_function"
            return (self._with_data(*args), None) if trains else (args, given)
        args = self.guarded(self._replaced, args) or args
        return args, args

    def _iterator(self, element: Any, kind: str) -> Any:
        """Returns an iterator of one element; under a strategy, each replica gets its part."""
        tensorflow = self.tensorflow
        if kind == "OwnedIterator":
            return iter(tensorflow.data.Dataset.from_tensors(element))
        strategy = tensorflow.distribute.get_strategy()
        parts = [
            tensorflow.nest.map_structure(
                lambda leaf, at=at: strategy.experimental_local_results(leaf)[at], element
            )
            for at in range(strategy.num_replicas_in_sync)
        ]
        datasets = map(tensorflow.data.Dataset.from_tensors, parts)
        dataset = functools.reduce(lambda one, other: one.concatenate(other), datasets)
        distribute = "distribute_datasets_from_function"  # experimental up to TensorFlow 2.3
        return iter(
            _attribute(strategy, distribute, "experimental_" + distribute)(lambda _: dataset)
        )

    def _replaced(self, given: Any, first: int = 0) -> Any:
        """Returns data with the arrays of the other recording in it.

        Their sizes must be the same from the first axis on that is given.
        """
        found = [leaf for leaf in leaves(given) if _is_data(leaf)]
        stored = [unpacked(self.numpy, one) for one in (self.batches or [[]])[0]]
        shapes = [[*map(int, leaf.shape)][first:] for leaf in found]
        if shapes != [list(one.shape)[first:] for one in stored]:
            return given
        del self.batches[:1]
        turned = map(self._like, found, stored)
        return with_leaves(given, lambda leaf: next(turned) if _is_data(leaf) else leaf)

    def _like(self, leaf: Any, array: Any) -> Any:
        """Returns an array as the kind of array, or tensor, that a leaf is."""
        if not hasattr(leaf, "numpy"):
            return array.astype(leaf.dtype)
        make = _attribute(leaf, "new_tensor")  # of PyTorch
        return make(array) if make else self.tensorflow.constant(array, leaf.dtype)

    def _session_run(self, original: Any, args: Any, options: Any) -> Any:
        """Calls the `run` of a session."""
        session, feeds = args[0], _given(args, options, 2, "feed_dict")
        given = list(feeds.values()) if isinstance(feeds, dict) else None
        call = functools.partial(original, *args, **options)
        fetches = _given(args, options, 1, "fetches")
        return self._in_graph(session.graph, fetches, lambda: session, given, call)

    def _keras_function(self, original: Any, args: Any, options: Any) -> Any:
        """Calls what Keras makes of a model in graph mode."""
        operation = _attribute(args[0], "updates_op")
        get_session = _attribute(sys.modules[type(args[0]).__module__], "get_session")
        call = functools.partial(original, *args, **options)
        graph = _attribute(operation, "graph")
        if self.starts:  # The program may use the model before it makes what trains it.
            self.guarded(self._start_graph, get_session())
        return self._in_graph(graph, [operation], get_session, args[1:], call)

    def _in_graph(self, graph: Any, fetches: Any, session: Any, given: Any, call: Any) -> Any:
        """Calls what executes operations of a graph."""
        if not self.on or self.local.calling or id(graph) not in self.graph_steps:
            return call()
        found = self.guarded(self._executes, graph, fetches) or {}
        if len(found) > 1:  # which threads of the session take in any order
            self.threads.update(found)
        new = [one for _, one in self.graph_steps[id(graph)] if one.is_new]
        running = session() if found or new else None
        values = functools.partial(self._session_values, running)
        for one in new:
            # The program may use the model before it trains it, such as an agent.
            fetches = [*map(fetchable, one.variables)]
            if one.number in found or _tried(_fetched, running, fetches):
                self.guarded(self._describe, one, values, running)
        return self._calling(call, found, values, given)

    def _executes(self, graph: Any, fetches: Any) -> Dict[int, _Optimizer]:
        """Returns the optimizers whose step is part of what is fetched."""
        steps = self.graph_steps.get(id(graph), ())
        wanted = []
        for leaf in leaves(fetches):
            element = _tried(graph.as_graph_element, leaf) if isinstance(leaf, str) else leaf
            operation = element if hasattr(element, "control_inputs") else _attribute(element, "op")
            if hasattr(operation, "control_inputs"):
                wanted.append(operation)
        key = (id(graph), len(steps), tuple(sorted(map(id, wanted))))
        if key not in self.executed:
            seen = set()
            waiting = list(wanted)
            while waiting:
                operation = waiting.pop()
                if id(operation) not in seen:
                    seen.add(id(operation))
                    if re.search(_CALLS, operation.type):
                        seen.add(id(None))
                    waiting += [tensor.op for tensor in operation.inputs]
                    waiting += operation.control_inputs
            found = {one.number: one for operation, one in steps if id(operation) in seen}
            self.executed[key] = found
        return self.executed[key]

    def _made_train_function(self, args: Any, *_: Any) -> None:
        wrap(args[0], "train_function", functools.partial(self._train, args[0]))

    def _train(self, model: Any, original: Any, args: Any, options: Any) -> Any:
        """Executes a step of `fit` on Keras 3; on JAX, it hands its variables' values on."""
        args = self._with_data(*args)
        if len(args) > 1:
            self.guarded(self._begin_on_jax, model, args[0])
        result = original(*args, **options)
        if len(args) > 1:
            self.guarded(self._trained, model, result[1])
        return result

    def _with_data(self, *args: Any) -> Any:
        """Returns what a step of `fit` gets, with data of the other recording, and sees the data.

        Of an iterator, it gets one of its next element alone.
        """
        *state, data = args
        kind = type(data).__name__
        sees = self.on and self.executions in (None, 1)
        if not sees or (kind in _ITERATORS and not self._fixes()):
            return args
        found = data if isinstance(data, list) else list(itertools.islice(data, 1))
        if not found:
            return args
        found = self.guarded(self._replaced, found, 1) or found
        self.fed[:1] = [self.guarded(self._data, found)]
        if kind in _ITERATORS:
            return (*state, self._iterator(found[0], kind))
        return (*state, found if isinstance(data, list) else iter(found))

    def _begin_on_jax(self, model: Any, state: Any) -> None:
        one = self.outermost(model.optimizer)
        one.add(model.trainable_variables)
        self.begin(one)
        self._describe(one, self._values_in(model, state))

    def _trained(self, model: Any, state: Any) -> None:
        self.observe([self.outermost(model.optimizer)], self._values_in(model, state))

    def _values_in(self, model: Any, state: Any) -> Any:
        """Returns what reads the variables of a model in a state."""
        variables = [*model.trainable_variables, *model.optimizer.variables]
        known = {id(v): value for v, value in zip(variables, [*state[0], *state[2]])}
        return lambda things: self._eager_values([known.get(id(thing), thing) for thing in things])

    def _fits(self, args: Any, options: Any) -> None:
        model = args[0]
        x, y = _given(args, options, 1, "x"), _given(args, options, 2, "y")
        per_call = _attribute(model, "_steps_per_execution", "steps_per_execution")
        self.executions = _plain(_numpy(per_call))
        kinds = {base.__name__ for base in type(x).__mro__}
        self.fits, self.fed = bool(kinds & {"PyDataset", "Sequence", "generator"}), []
        self.out.put("fit", data=self._data((x, y), keep=False))

    def _fitted(self, *_: Any) -> None:
        self.fits, self.fed = False, []

    def _generating(self, original: Any, args: Any, options: Any) -> Any:
        """Makes a dataset of a generator, which `fit` does of a `Sequence`."""
        if self.on and self.fits:
            self.fits, args = False, (self._feeding(args[0]), *args[1:])
        return original(*args, **options)

    def _got_element(self, _: Any, __: Any, element: Any) -> None:
        if self.eager():
            self.element = element

    def _feeding(self, generator: Any) -> Any:
        def feed() -> Iterator[Any]:
            self.fed = fed = []
            for element in generator():
                # Another thread comes here, for which the step may be waiting.
                fed.append(_tried(self._data, element, False))
                yield element

        return feed

    def _get_seed(self, original: Any, args: Any, options: Any) -> Any:
        """Calls what gives a random operation its seeds: the global one and its own."""
        self.guarded(self._seed)
        seeds = original(*args, **options)
        if self.options.fix_random and _given(args, options, 0, "op_seed") is None:
            own = self.guarded(self._seed_by_place)
            seeds = (seeds[0], own) if own else seeds
        self.guarded(self._drew, seeds)
        return seeds

    def _seed_by_place(self) -> Optional[int]:
        """Returns a number of the place where the program itself draws; `None` for others.

        Other versions and Kerases draw other numbers before, for initial values.
        """
        stack = []
        frame: Any = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if self.places.name_of(file) is not None or self.places.is_generated(file):
                stack.append((file, frame.f_lineno))
            elif not stack and re.search(_NOT_ITS_OWN, file):
                return None
            frame = frame.f_back
        self.fixed = True
        return self.drawn.setdefault(tuple(stack), len(self.drawn) + 1)

    def _drew(self, seeds: Any) -> None:
        frame: Any = sys._getframe(4)
        for _ in range(8):
            file = frame.f_code.co_filename
            self.shuffled |= re.search(r"data.util.random_seed|data_adapter", file) is not None
            if re.search(_INITIALIZERS + "|data_adapter", file):
                return  # what an initializer gives is compared, and so is what `fit` shuffles
            frame = frame.f_back or frame
        self.draws[0] += 1
        text = "%s %s" % (self.draws[1], [_plain(_numpy(seed)) for seed in seeds])
        self.draws[1] = digest(text.encode())

    def _drew_of_state(self, args: Any, _: Any, __: Any) -> None:
        self.draws[0] += 1
        self.draws[1] = digest(("%s %s" % (self.draws[1], type(args[0]).__name__)).encode())

    def _seed(self, *_: Any) -> None:
        """Seeds TensorFlow where a random operation asks for a seed and the program set none."""
        tensorflow = self.tensorflow
        if tensorflow is None:
            return
        if tensorflow.executing_eagerly():
            known = sys.modules["tensorflow.python.eager.context"].global_seed()
        else:
            known = tensorflow.compat.v1.get_default_graph().seed
        if known is None:
            tensorflow.compat.v1.set_random_seed(self.options.seed)

    def _saved(self, _: Any, __: Any, result: Any) -> None:
        """Writes the names and shapes in a checkpoint."""
        path = result if isinstance(result, str) else _numpy(result)
        path = path.item() if hasattr(path, "item") else path
        path = path.decode() if isinstance(path, bytes) else path
        if isinstance(path, str) and not self.local.calling:
            found = _tried(self.tensorflow.train.list_variables, path) or ()
            names = {name: list(shape) for name, shape in found}
            self.out.put("save", name=os.path.basename(path), names=names)

    def _saved_model(self, args: Any, options: Any, _: Any) -> None:
        """Writes the names and shapes in a file that Keras writes of a model."""
        path = str(_given(args, options, 1, "filepath"))
        if path.endswith((".h5", ".hdf5", ".keras")):
            names = {_name(weight): _shape(weight) for weight in args[0].weights}
            self.out.put("save", name=os.path.basename(path), names=names)

    def printed(self, text: str, frame: Any) -> None:
        """Takes what is printed."""
        *whole, rest = (self.line + text).split("\n")
        self.line = rest[-4 * _LONGEST_LINE :]
        name = self.places.name_of(frame.f_code.co_filename) if whole else None
        for line in whole:
            # What a progress bar writes over tells of the time.
            if name is None or "\r" in line or "\b" in line or self.lines >= _MOST_LINES:
                continue
            self.lines += 1
            at, *calls = itertools.islice(self.places.stack(frame), _MOST_CALLS)
            text, steps = line[:_LONGEST_LINE], self.steps_done()
            self.out.put("print", at=at, calls=calls, line=text, n=steps)

    def end(self, code: int, error: Any = None) -> None:
        """Writes how the program ended."""
        if not self.on:
            return
        self.on = False
        raised = None
        if error is not None:
            at, *calls = self.places.of_traceback(error.__traceback__) or [""]
            # Keras colours its messages, and AutoGraph puts its calls before them.
            text = re.sub(r"(?s)\x1b\[[\d;]*m|^in user code:\n\n.*?\n\n\s*(\w+: )?", "", str(error))
            text = text.replace(os.path.join(self.places.folder, ""), "")
            text = " ".join(text.split())[:_LONGEST_LINE]
            raised = {"class": type(error).__name__, "text": text, "at": at, "calls": calls}
        inside = [inner_of(one.object) for one in self.optimizers]
        unused = [
            self._about(one)
            for one in self.optimizers
            if one.number < 0 and not any(one.object is inner for inner in [None, *inside])
        ]
        places = [[*key, count] for key, count in sorted(self.observed.items())]
        self.out.put("observed", places=places[:_MOST_LINES])
        self.out.put(
            "end",
            exit=code,
            error=raised,
            limited=0 < self.options.steps <= self.steps_done(),
            cut=self.out.cut,
            policy=self._policy(),
            graph_rewrite=_tried(self._is_rewritten),
            shuffled=self.shuffled,
            fixed=self.fixed,
            unused=unused,
            versions=versions(),
            problems=self.problems,
            threads=len(self.threads),
            hidden=[one.kind for one in self.optimizers if one.is_hidden and not one.seen],
        )
        self.out.close(self.options.output + ".again" if self.options.twice else "")
        if self.out.cut:
            print("The recording has reached its --limit: it lacks what follows.", file=sys.stderr)

    def _is_rewritten(self) -> bool:
        options = self.tensorflow.config.optimizer.get_experimental_options()
        return bool(options.get("auto_mixed_precision"))

    # Installation.

    def install(self) -> None:
        """Has the classes of TensorFlow and Keras wrapped when they are imported."""
        for name, module in list(sys.modules.items()):
            if _package(name) in _PACKAGES:
                self.guarded(self.imported, name, module)
        wrap(importlib.machinery.PathFinder, "find_spec", self.hooked(after=self._module_found))

    def _module_found(self, args: Any, _: Any, spec: Any) -> None:
        loader = _attribute(spec, "loader")
        if _package(args[1]) in _PACKAGES and hasattr(loader, "exec_module"):
            execute = functools.partial(self._execute, args[1], loader, loader.exec_module)
            loader.exec_module = execute

    def _execute(self, name: str, loader: Any, execute: Any, module: Any) -> None:
        vars(loader).pop("exec_module", None)  # another finder may have taken it away
        # Today's TensorFlow imports JAX, which draws, and so does Keras 3 when it is imported.
        numbers: Any = sys.modules.get("numpy.random")
        state = numbers.get_state() if hasattr(numbers, "get_state") else None
        of_python = random.getstate()
        execute(module)
        self.guarded(self.imported, name, module)
        random.setstate(of_python)
        if state is not None:
            numbers.set_state(state)

    def imported(self, name: str, module: Any) -> None:
        """Looks at a module that has been imported by a name."""
        if name == "numpy":
            module.random.seed(self.options.seed % 2**32)
            self.numbers = Numbers(module)
        elif name == "tensorflow":
            self._after_tensorflow(module)
        elif isinstance(module, types.ModuleType):
            home = module.__name__
            is_ours = _package(home) == "compat_lossscale"  # whose classes name another module
            for key, found in list(vars(module).items()):
                if isinstance(found, type) and (is_ours or found.__module__ == home):
                    self._wrap_class(found, ".%s.%s" % (home, key))
                elif found is random and self.options.fix_random and home in _DRAWING:
                    setattr(module, key, random.Random(self.options.seed))
            if self.options.fix_random and _package(home) in ("keras", "tf_keras"):
                self._leave_dropout_out(module)

    def _after_tensorflow(self, tensorflow: Any) -> None:
        function = type(tensorflow.function(lambda: None))
        wrap(function, "__call__", self._function_call)
        # This gives the variables values that a `tf.function` has made when it is traced.
        initialized = self.hooked(after=self._describe_new)
        wrap(function, "_initialize_uninitialized_variables", initialized)
        for name, loaded in list(sys.modules.items()) if self.options.fix_random else ():
            if _package(name) == _package(function.__module__):
                self._leave_dropout_out(loaded)
        seeds = sys.modules.get("tensorflow.python.framework.random_seed")
        wrap(seeds, "get_seed", self._get_seed)
        # Later, setting a seed throws away kernels, and with them the resources that some own. A
        # default graph must not be made here: `enable_eager_execution` then raises.
        if tensorflow.executing_eagerly():
            self._seed()

    def _wrappings(self) -> Iterator[Tuple[str, Sequence[str], Any]]:
        """Yields how names of modules and classes end, methods of them, and what wraps these."""
        hooked = self.hooked
        yield _MODELS, ("fit",), hooked(self._fits, self._fitted)
        yield _MODELS, ("compile",), hooked(after=self._compiled)
        yield _MODELS, ("save", "save_weights"), hooked(after=self._saved_model)
        made = hooked(after=self._made_train_function)
        yield _TRAINERS, ("make_train_function",), made
        policies = r"(%s)\.Policy\w*" % _POLICIES
        yield policies, ("loss_scale",), hooked(self._asked_for_scale)
        yield policies, ("__init__",), hooked(after=self._policy_made)
        yield _SAVERS, ("save",), hooked(after=self._saved)
        methods = ("make_seeds", "uniform_full_int", "uniform", "normal", "truncated_normal",
                   "next")  # fmt: skip
        yield _GENERATORS, methods, hooked(after=self._drew_of_state)
        if self.options.fix_random:
            yield _RANDOM_LAYERS, ("call",), self._as_in_inference
            yield r"dataset_ops\.Dataset\w*", ("map",), self._map_in_order
        yield r"backend\.GraphExecutionFunction", ("__call__",), self._keras_function
        yield r"client\.session\.BaseSession", ("run",), self._session_run
        yield r"\w*function\.ConcreteFunction", ("__call__",), self._function_call
        yield r"dataset_ops\.Dataset\w*", ("from_generator",), self._generating
        yield "OwnedIterator|IteratorV2", ("__next__",), hooked(after=self._got_element)
        if self.starts or self.options.with_initial_values:
            yield _VARIABLES, ("__init__", "_deferred_initialize"), hooked(after=self._new_variable)

    def _map_in_order(self, original: Any, args: Any, options: Any) -> Any:
        """Maps a dataset in one thread, in which random operations draw in the same order."""
        parallel = ("num_parallel_calls", "num_threads", "deterministic")
        return original(*args[:2], **{k: v for k, v in options.items() if k not in parallel})

    def _as_in_inference(self, call: Any, args: Any, options: Any) -> Any:
        """Calls a layer, which in training does something at random, as in inference."""
        self.fixed = True
        if "training" in call.__code__.co_varnames:
            return call(*args[:2], training=False)
        return call(*args, **options)

    def _leave_dropout_out(self, module: Any) -> None:
        """Has the functions of a module that drop elements give back what they get."""

        def left_out(x: Any, *_: Any, **__: Any) -> Any:
            self.fixed = True
            return x

        for name, found in list(vars(module).items()):
            if isinstance(found, types.FunctionType) and re.match(r"\w*dropout(_v\d)?$", name):
                setattr(module, name, left_out)

    def _wrap_class(self, found: Any, name: str) -> None:
        if re.search(r"\.(%s)$" % _OPTIMIZERS, name):
            self._wrap_base(found)
        if re.search(r"\.(%s)$" % _WRAPPERS, name):
            self._wrap_methods(found)
        for pattern, methods, handler in self.wrappings:
            if re.search(r"\.(%s)$" % pattern, name):
                for method in methods:
                    wrap(found, method, handler)

    def _wrap_base(self, base: Any) -> None:
        def make(cls: Any, *args: Any, **options: Any) -> Any:
            above = super(base, cls).__new__
            found = above(cls) if above is object.__new__ else above(cls, *args, **options)
            self.guarded(self.made, found)
            return found

        if "__new__" not in vars(base):  # No base class has one of its own.
            base.__new__ = staticmethod(make)


def _package(name: str) -> str:
    return name.partition(".")[0]


def wrap(owner: Any, name: str, handler: Callable[[Any, Any, Any], Any]) -> None:
    """Replaces a function or a property's getter of a class, a module or an object, once.

    The handler gets the function, and the arguments of a call: a tuple and a dictionary.
    """
    found = vars(owner).get(name) if owner is not None else None
    original = getattr(found, "fget", None) or getattr(found, "__func__", None) or found
    if original is None or hasattr(original, _MARK):
        return

    @functools.wraps(original)
    def replaced(*args: Any, **options: Any) -> Any:
        return handler(original, args, options)

    setattr(replaced, _MARK, original)
    new: Any = replaced
    if isinstance(found, property):
        new = property(replaced, found.fset, found.fdel, found.__doc__)
    elif isinstance(found, (classmethod, staticmethod)):
        new = type(found)(replaced)
    setattr(owner, name, new)


def with_leaves(value: Any, function: Callable[[Any], Any]) -> Any:
    """Returns a structure with other leaves; those of a dictionary are asked for by its keys."""
    if type(value).__name__ == "PerReplica":
        return type(value)([with_leaves(one, function) for one in value.values])
    if isinstance(value, dict):
        found = {key: with_leaves(value[key], function) for key in sorted(value, key=str)}
        return {key: found[key] for key in value}
    if not isinstance(value, (list, tuple)):
        return function(value)
    parts = [with_leaves(one, function) for one in value]
    if isinstance(value, list):
        return parts
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def leaves(value: Any) -> List[Any]:
    """Returns the leaves of tuples, lists and dictionaries, in the order of `with_leaves`."""
    found: List[Any] = []
    with_leaves(value, found.append)
    return found


def _is_data(leaf: Any) -> bool:
    if _is_variable(leaf) or not hasattr(leaf, "dtype") or not hasattr(leaf, "shape"):
        return False
    return type(leaf).__name__ in ("ndarray", "EagerTensor", "ArrayImpl") or hasattr(leaf, "numpy")


def _numpy(value: Any) -> Any:
    """Returns a value as an array; `None` if it has none."""
    if hasattr(value, "detach"):
        value = value.detach()  # PyTorch gives no array of what it differentiates
    found = _tried(value.numpy) if hasattr(value, "numpy") else value
    return None if found is None else _tried(sys.modules["numpy"].asarray, found)


def _plain(value: Any) -> Any:
    """Returns a number that JSON can carry exactly; text for what is not finite."""
    try:
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, float) and number - number != 0:
            return str(number)
        return number if isinstance(number, (int, float)) else None
    except Exception:
        return None


def _jsonable(value: Any) -> Any:
    """Returns a setting as data that JSON can carry; `None` if it is no plain one."""
    if isinstance(value, dict):
        return {str(key): _jsonable(one) for key, one in value.items()}
    return value if isinstance(value, (str, bool)) else _plain(value)


def _tried(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception:
        return None


def _fetched(session: Any, fetches: Any) -> Any:
    """Calls the `run` of a session without the recorder."""
    return getattr(type(session).run, _MARK, type(session).run)(session, fetches)


def _is_stateless() -> bool:
    """Whether Keras 3 keeps what is assigned to variables apart, as it does to trace on JAX."""
    module = sys.modules.get("keras.src.backend.common.stateless_scope")
    return module is not None and bool(module.in_stateless_scope())


def versions() -> Dict[str, str]:
    """Returns the versions of Python and of the packages that the program imported."""
    names = ("tensorflow", "keras", "tf_keras", "numpy", "jax", "torch")
    found = {name: _attribute(sys.modules.get(name), "__version__") for name in names}
    if _attribute(sys.modules.get("keras"), "__name__") != "keras":
        found.pop("keras")  # `run` lets it be tf-keras
    found["python"] = platform.python_version()
    return {name: version for name, version in found.items() if isinstance(version, str)}


OPTIONS = (
    ("--steps", {"type": int, "metavar": "N", "help": "end after N steps of the first optimizer"}),
    ("--seed", {"type": int, "metavar": "N", "help": "seed Python, NumPy and TensorFlow [0]"}),
    ("--every", {"type": int, "metavar": "K", "help": "record every Kth step [1]"}),
    ("--twice", {"action": "store_true", "help": "run twice, and record what is not reproduced"}),
    ("--with-initial-values", {"action": "store_true", "help": "keep the variables' first values"}),
    ("--with-values", {"action": "store_true", "help": "keep the variables' values of each step"}),
    ("--start-from", {"metavar": "FILE", "help": "begin with values and data of this recording"}),
    ("--nudge", {"action": "store_true", "help": "change last digits, to see what rounding does"}),
    ("--fix-data", {"type": int, "metavar": "N", "help": "keep the data of the first N steps"}),
    (
        "--fix-random",
        {"action": "store_true", "help": "leave dropout out, and seed the program's own draws"},
    ),
    ("--limit", {"type": int, "metavar": "MB", "help": "the largest recording [64]"}),
)  # type: Tuple[Tuple[str, Dict[str, Any]], ...]
"""The options of a recording, as `argparse` takes them. `compat-lossscale` has the same."""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    made = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="lossscale_recorder.py",
        description="Record how a TensorFlow program trains. It runs as it would without.",
        usage="%(prog)s -o FILE [options] (SCRIPT | -m MODULE | -c CODE) [arguments]",
    )
    made.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the recording, such as before.lsr"
    )
    for flag, settings in OPTIONS:
        made.add_argument(flag, **settings)
    for flag in ("-m", "-c"):
        made.add_argument(flag, nargs=argparse.REMAINDER, default=[], help=argparse.SUPPRESS)
    made.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    made.set_defaults(steps=0, seed=0, every=1, fix_data=0, limit=64)
    return made


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Records a program, and exits as it exits."""
    options = parser().parse_args(arguments)
    for flag, named in (("-m", options.m), ("-c", options.c)):
        if named:
            options.program[:0] = [flag, *named]
    program = options.program
    if not program:
        parser().error("name the program: a script, -m MODULE or -c CODE")
    if options.every < 1 or options.steps < 0:
        parser().error("--every and --steps take numbers from 1")
    if options.nudge and not options.start_from:
        parser().error("--nudge changes the values that --start-from gives: give both")
    if options.twice and not hasattr(os, "fork"):
        parser().error("--twice needs os.fork, which this system lacks: record two times instead")
    try:
        options.output = os.path.abspath(options.output)  # the program may go elsewhere
        if options.twice:
            run_in_copy(options, program)
        is_file = program[0] not in ("-m", "-c")
        folder = os.path.dirname(os.path.realpath(program[0])) if is_file else os.getcwd()
        recorder = TrainingRecorder(options, folder)
    except (OSError, shutil.Error, RecordingError) as error:
        parser().error(str(error)[:500])
    recorder.out.put(
        "lossscale-recording",
        version=VERSION,
        program=os.path.basename(program[0]),
        seed=options.seed,
        steps=options.steps,
        every=options.every,
        platform="%s %s" % (platform.system(), platform.machine()),
    )
    random.seed(options.seed)
    recorder.install()
    _run(recorder, program)


def _run(recorder: TrainingRecorder, program: List[str]) -> None:
    """Runs the program, writes how it ended, and ends likewise."""
    stream = sys.stdout
    write: Any = getattr(stream, "write", None)

    def write_and_record(text: str) -> Any:
        result = write(text)
        recorder.printed(text, sys._getframe(1))
        return result

    if stream is not None:
        stream.write = write_and_record  # type: ignore[method-assign]
    hook = sys.excepthook

    def excepthook(kind: Any, error: Any, trace: Any) -> None:
        # The program's traceback begins with the program.
        own = (__file__, runpy.__file__)
        while trace is not None and trace.tb_frame.f_code.co_filename in own:
            trace = trace.tb_next
        hook(kind, error.with_traceback(trace), trace)

    sys.excepthook = excepthook
    try:
        _execute(program)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        recorder.end(code, error if code else None)
        raise
    except BaseException as error:
        recorder.end(1, error)
        raise
    finally:
        if stream is not None:
            stream.write = write  # type: ignore[method-assign]
        recorder.end(0)


def _execute(program: List[str]) -> None:
    name, rest = program[0], program[1:]
    main = types.ModuleType("__main__")
    vars(main)["__builtins__"] = __builtins__
    main.__annotations__ = {}
    sys.modules["__main__"] = main
    sys.argv = [name, *rest]
    if name == "-m":
        del sys.argv[1]
        sys.path[0] = os.getcwd()
        runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]  # private
        return
    if name == "-c":
        del sys.argv[1]
        sys.path[0] = ""
        exec(compile(rest[0], "<string>", "exec", dont_inherit=True), vars(main))
        return
    if pkgutil.get_importer(name) is not None:
        sys.path[0] = name
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # private
        return
    sys.path[0] = os.path.dirname(os.path.realpath(name))
    loader = importlib.machinery.SourceFileLoader("__main__", os.path.abspath(name))
    try:
        content = loader.get_data(loader.path)
    except OSError as error:
        print("%s: can't open file %r: %s" % (sys.executable, name, error), file=sys.stderr)
        sys.exit(2)
    vars(main).update(__file__=loader.path, __cached__=None, __loader__=loader)
    exec(compile(content, loader.path, "exec", dont_inherit=True), vars(main))


def run_in_copy(options: Any, program: List[str]) -> None:
    """Runs the program in another process before it is run in this one.

    The other process is forked, for it needs what `compat-lossscale run` put into this one. It runs
    in a copy of the current folder, so that neither run goes on from what the other one writes.

    Args:
        options: The options of the command line; in the other process, those of its run.
        program: What follows them; likewise.

    Raises:
        OSError: The current folder cannot be copied.
    """
    folder = os.path.realpath(os.getcwd())
    top = tempfile.mkdtemp(prefix="lossscale-recorder-")
    copy = copy_folder(folder, top)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        shutil.rmtree(top, ignore_errors=True)
        return
    options.twice = False
    options.output = os.path.abspath(options.output) + ".again"
    options.start_from = options.start_from and os.path.abspath(options.start_from)
    if program[0] not in ("-m", "-c"):
        script = os.path.realpath(program[0])
        inside = script.startswith(folder + os.sep)
        program[0] = os.path.relpath(script, folder) if inside else script
    os.chdir(copy)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def copy_folder(folder: str, top: str) -> str:
    """Copies a folder, and links what stands beside it, so that `../data` is found.

    Returns:
        The copy.

    Raises:
        OSError: The folder is too large, or it cannot be read.
    """
    size = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NOT_COPIED]
        size += sum(os.lstat(os.path.join(place, name)).st_size for name in files)
        if size > LARGEST_COPY:
            message = "%s has more than %d MB, too much to copy: move the data out of it"
            raise OSError(message % (folder, LARGEST_COPY >> 20))
    above, name = os.path.split(folder)
    copy = os.path.join(top, name or "root")
    shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    with contextlib.suppress(OSError):  # Windows lets few users make links.
        for other in os.listdir(above):
            if name and other != name:
                os.symlink(os.path.join(above, other), os.path.join(top, other))
    return copy


if __name__ == "__main__":
    main()
