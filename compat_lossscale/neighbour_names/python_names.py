# SPDX-License-Identifier: Apache-2.0
"""Names that Python's standard library took away, or setuptools did, since Python 3.6."""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

_OURS = "compat_lossscale.neighbours"


_ABSTRACT_CLASSES = (
    *("Awaitable", "Coroutine", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Hashable"),
    *("Iterable", "Iterator", "Generator", "Reversible", "Sized", "Container", "Callable"),
    *("Collection", "Set", "MutableSet", "Mapping", "MutableMapping", "MappingView", "KeysView"),
    *("ItemsView", "ValuesView", "Sequence", "MutableSequence", "ByteString"),
)

NEIGHBOURS = (
    *(
        Neighbour(
            f"collections.{name}",
            "Python 3.9",
            f"collections.abc:{name}",
            THE_SAME,
            f"collections.abc.{name}",
        )
        for name in _ABSTRACT_CLASSES
    ),
    Neighbour(
        "inspect.getargspec",
        "Python 3.10",
        f"{_OURS}.python_functions:getargspec",
        THE_SAME,
        "inspect.getfullargspec",
        for_members=("inspect.getfullargspec", "args", "varargs", "defaults", "0", "1", "3"),
    ),
    Neighbour(
        "inspect.ArgSpec",
        "Python 3.10",
        f"{_OURS}.python_functions:ArgSpec",
        THE_SAME,
        "inspect.FullArgSpec",
    ),
    Neighbour(
        "time.clock",
        "Python 3.7",
        "time:process_time",
        "processor time, as on Unix; on Windows it was wall time",
        "time.process_time or time.perf_counter",
    ),
    Neighbour(
        "fractions.gcd",
        "Python 3.8",
        "math:gcd",
        "never negative; it had the sign of the second number",
        "math.gcd",
    ),
    Neighbour(
        "base64.encodestring", "Python 3.8", "base64:encodebytes", THE_SAME, "base64.encodebytes"
    ),
    Neighbour(
        "base64.decodestring", "Python 3.8", "base64:decodebytes", THE_SAME, "base64.decodebytes"
    ),
    Neighbour(
        "asyncio.coroutine",
        "Python 3.10",
        "types:coroutine",
        "for generator functions",
        "async def",
    ),
    Neighbour("os.errno", "Python 3.6", "errno", THE_SAME, "import errno"),
    Neighbour(
        "imp.*",
        "Python 3.11",
        f"{_OURS}.imp_module",
        "the functions that programs call: reload, load_source, load_module, find_module, "
        "new_module and the caches' names",
        "importlib",
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
        f"{_OURS}.pkg_resources_module",
        "versions, distributions and files of packages; no working sets",
        "packaging.version, importlib.metadata, importlib.resources",
    ),
    Neighbour(
        "distutils.*",
        "Python 3.11",
        "setuptools._distutils",
        "setuptools' copy, which TensorFlow installs",
        "packaging.version, shutil, sysconfig, or a function of your own",
    ),
)
