# SPDX-License-Identifier: Apache-2.0
"""Names that numpy took away: aliases of Python's types in 1.24, many more in 2.0.

`np.bool` and `np.long` are back in numpy 2, for `np.bool_` and C's `long`: what numpy has itself is
never replaced. https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
"""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

_FUNCTIONS = "compat_lossscale.neighbours.numpy_functions"


def _named(until: str, names: dict[str, str]) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(f"numpy.{name}", until, path, THE_SAME, _written(path))
        for name, path in names.items()
    )


def _written(path: str) -> str:
    """How new code writes a name, `builtins:float` as `float`."""
    return path.replace(":", ".").removeprefix("builtins.").replace("numpy.", "np.", 1)


def _ours(name: str, until: str, instead: str, exactly: str = "") -> Neighbour:
    return Neighbour(f"numpy.{name}", until, f"{_FUNCTIONS}:{name}", THE_SAME, instead, exactly)


NEIGHBOURS = (
    *_named(
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
            "uint0": "numpy:uintp",
            "object0": "numpy:object_",
            "str0": "numpy:str_",
            "bytes0": "numpy:bytes_",
            "void0": "numpy:void",
            "typeDict": "numpy:sctypeDict",
            "warnings": "warnings",
        },
    ),
    *_named(
        "numpy 1.26",
        {
            "float_": "numpy:float64",
            "complex_": "numpy:complex128",
            "string_": "numpy:bytes_",
            "unicode_": "numpy:str_",
            "longfloat": "numpy:longdouble",
            "singlecomplex": "numpy:complex64",
            "cfloat": "numpy:complex128",
            "clongfloat": "numpy:clongdouble",
            "longcomplex": "numpy:clongdouble",
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
            "TooHardError": "numpy.exceptions:TooHardError",
            "VisibleDeprecationWarning": "numpy.exceptions:VisibleDeprecationWarning",
            "DataSource": "numpy.lib.npyio:DataSource",
        },
    ),
    *_named("numpy 2.3", {"trapz": "numpy:trapezoid"}),
    *_named("numpy 1.17", {"rank": "numpy:ndim"}),
    _ours("NINF", "numpy 1.26", "-np.inf", "-numpy.inf"),
    _ours("NZERO", "numpy 1.26", "-0.0", "-0.0"),
    _ours("PZERO", "numpy 1.26", "0.0", "0.0"),
    _ours("asscalar", "numpy 1.22", "a.item()", "numpy.asarray(...).item()"),
    _ours("alen", "numpy 1.22", "len(a)"),
    _ours("msort", "numpy 1.26", "np.sort(a, axis=0)", "numpy.sort(..., axis=0)"),
    _ours(
        "asfarray",
        "numpy 1.26",
        "np.asarray(a, dtype=np.float64)",
        "numpy.asarray(..., dtype=float)",
    ),
    _ours("in1d", "numpy 2.3", "np.isin(a, b), flattened", "numpy.isin(..., ...).ravel()"),
    _ours("issubsctype", "numpy 1.26", "np.issubdtype(a, b)"),
    _ours("obj2sctype", "numpy 1.26", "np.dtype(a).type"),
    _ours("cast", "numpy 1.26", "np.asarray(a, dtype=...)"),
    _ours("sctypes", "numpy 1.26", "the types themselves"),
    Neighbour(
        "numpy.issubclass_",
        "numpy 1.26",
        "builtins:issubclass",
        "what is no class is an error; it gave False",
        "issubclass",
    ),
    Neighbour(
        "numpy.find_common_type",
        "numpy 1.26",
        "",
        "numpy's rules for the types of results have changed",
        "Use np.result_type(...)",
    ),
)
