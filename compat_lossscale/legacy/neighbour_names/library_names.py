# SPDX-License-Identifier: Apache-2.0
"""Names that NumPy, SciPy, Weights & Biases, Python's standard library and setuptools took away."""

from __future__ import annotations

from compat_lossscale.legacy.neighbour_names.neighbour import THE_SAME, Neighbour

_FUNCTIONS = "compat_lossscale.legacy.library_functions"


def _renamed(module: str, until: str, names: dict[str, str]) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(f"{module}.{name}", until, path, THE_SAME, _written(path))
        for name, path in names.items()
    )


def _written(path: str) -> str:
    """How new code writes a name, `builtins:float` as `float`."""
    return path.replace(":", ".").removeprefix("builtins.").replace("numpy.", "np.", 1)


def _ours(name: str, until: str, instead: str, exactly: str = "") -> Neighbour:
    return Neighbour(f"numpy.{name}", until, f"{_FUNCTIONS}:{name}", THE_SAME, instead, exactly)


NUMPY = (
    *_renamed(
        "numpy",
        "numpy 1.23",
        {
            "bool": "builtins:bool",
            "int": "builtins:int",
            "float": "builtins:float",
            "complex": "builtins:complex",
            "object": "builtins:object",
            "str": "builtins:str",
            "unicode": "builtins:str",
            "long": "builtins:int",
            "bool8": "numpy:bool_",
            "int0": "numpy:intp",
            "warnings": "warnings",
        },
    ),
    *_renamed(
        "numpy",
        "numpy 1.26",
        {
            "float_": "numpy:float64",
            "complex_": "numpy:complex128",
            "string_": "numpy:bytes_",
            "unicode_": "numpy:str_",
            "singlecomplex": "numpy:complex64",
            "cfloat": "numpy:complex128",
            "Inf": "numpy:inf",
            "Infinity": "numpy:inf",
            "infty": "numpy:inf",
            "PINF": "numpy:inf",
            "NaN": "numpy:nan",
            "NAN": "numpy:nan",
            "product": "numpy:prod",
            "cumproduct": "numpy:cumprod",
            "alltrue": "numpy:all",
            "sometrue": "numpy:any",
            "round_": "numpy:round",
            "row_stack": "numpy:vstack",
            "mat": "numpy:asmatrix",
            "math": "math",
            "AxisError": "numpy.exceptions:AxisError",
            "ComplexWarning": "numpy.exceptions:ComplexWarning",
            "RankWarning": "numpy.exceptions:RankWarning",
            "VisibleDeprecationWarning": "numpy.exceptions:VisibleDeprecationWarning",
        },
    ),
    *_renamed("numpy", "numpy 2.3", {"trapz": "numpy:trapezoid"}),
    _ours("NINF", "numpy 1.26", "-np.inf", "-numpy.inf"),
    _ours("NZERO", "numpy 1.26", "-0.0", "-0.0"),
    _ours("PZERO", "numpy 1.26", "0.0", "0.0"),
    _ours("asscalar", "numpy 1.22", "a.item()"),
    _ours("alen", "numpy 1.22", "len(a)"),
    _ours("msort", "numpy 1.26", "np.sort(a, axis=0)"),
    _ours("asfarray", "numpy 1.26", "np.asarray(a, dtype=np.float64)"),
    _ours("in1d", "numpy 2.3", "np.isin(a, b), flattened"),
    _ours("issubsctype", "numpy 1.26", "np.issubdtype(a, b)"),
    _ours("obj2sctype", "numpy 1.26", "np.dtype(a).type"),
    _ours("cast", "numpy 1.26", "np.asarray(a, dtype=...)"),
    _ours("sctypes", "numpy 1.26", "the types themselves"),
)


_WINDOWS = (
    *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin"),
    *("cosine", "exponential", "flattop", "gaussian", "general_gaussian", "hamming", "hann"),
    *("kaiser", "nuttall", "parzen", "triang", "tukey"),
)

SCIPY = _renamed(
    "scipy.signal", "SciPy 1.12", {name: f"scipy.signal.windows:{name}" for name in _WINDOWS}
)

WANDB = (
    Neighbour(
        "wandb.keras.*",
        "wandb 0.16",
        "wandb.integration.keras",
        THE_SAME,
        "wandb.integration.keras",
    ),
)


_ABSTRACT_CLASSES = (
    *("Awaitable", "Coroutine", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Hashable"),
    *("Iterable", "Iterator", "Generator", "Reversible", "Sized", "Container", "Callable"),
    *("Collection", "Set", "MutableSet", "Mapping", "MutableMapping", "MappingView", "KeysView"),
    *("ItemsView", "ValuesView", "Sequence", "MutableSequence", "ByteString"),
)

PYTHON = (
    *_renamed(
        "collections", "Python 3.9", {name: f"collections.abc:{name}" for name in _ABSTRACT_CLASSES}
    ),
    *_renamed(
        "base64",
        "Python 3.8",
        {"encodestring": "base64:encodebytes", "decodestring": "base64:decodebytes"},
    ),
    Neighbour(
        "inspect.getargspec",
        "Python 3.10",
        f"{_FUNCTIONS}:getargspec",
        THE_SAME,
        "inspect.getfullargspec",
    ),
    Neighbour(
        "time.clock",
        "Python 3.7",
        "time:process_time",
        "processor time, as on Unix; on Windows it was wall time",
        "time.process_time or time.perf_counter",
    ),
    Neighbour(
        "imp.*",
        "Python 3.11",
        "",
        "Python left it out",
        "Use importlib, or install a copy of the module: pip install zombie-imp",
    ),
    Neighbour(
        "xml.etree.cElementTree.*",
        "Python 3.8",
        "xml.etree.ElementTree",
        THE_SAME,
        "xml.etree.ElementTree",
    ),
    Neighbour(
        "pkg_resources.*",
        "setuptools 81",
        "",
        "setuptools left it out",
        "Use packaging.version, importlib.metadata and importlib.resources, or install the last "
        "setuptools that has it: pip install 'setuptools<81'",
    ),
    Neighbour(
        "distutils.*",
        "Python 3.11",
        "setuptools._distutils",
        "setuptools' copy, which TensorFlow installs",
        "packaging.version, shutil, sysconfig, or a function of your own",
    ),
)
