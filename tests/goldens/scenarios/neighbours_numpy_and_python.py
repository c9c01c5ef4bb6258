# SPDX-License-Identifier: Apache-2.0
"""What removed functions of numpy and of Python's library give."""
# versions: 2.3 2.4
import collections
import inspect

import numpy as np

from observe import observe

observe("types", [t.__name__ for t in (np.int, np.float, np.object, np.str, np.complex)])
observe("scalars", [np.dtype(t).name for t in (np.float_, np.complex_, np.cfloat, np.singlecomplex)])
observe("aliases", [np.string_ is np.bytes_, np.unicode_ is np.str_, np.int0 is np.intp])
observe("constants", [np.Inf, -np.NINF, np.PINF, np.Infinity, np.isnan(np.NaN), np.PZERO, np.NZERO])
observe("product", [int(np.product([2, 3])), np.cumproduct([2, 3]).tolist()])
observe("alltrue", [bool(np.alltrue([1, 0])), bool(np.sometrue([1, 0]))])
observe("round_", np.round_([1.26], 1).tolist())
observe("in1d", [np.in1d([[1, 2], [3, 4]], [2, 3]).tolist(), np.in1d([1], [1], invert=True).tolist()])
observe("asfarray", [np.asfarray([1]).dtype.name, np.asfarray([1], "f4").dtype.name])
observe("asfarray of integers", np.asfarray([1], int).dtype.name)
observe("msort", np.msort([[2, 1], [1, 2]]).tolist())
observe("asscalar", [np.asscalar(np.array([3])), type(np.asscalar(np.float32(1))).__name__])
observe("alen", [np.alen([1, 2]), np.alen(5)])
observe("trapz", float(np.trapz([1.0, 2.0, 4.0])))
observe("mat", np.mat([[1, 2]]).T.tolist())
observe("cast", [np.cast[np.int32](2.5).dtype.name, int(np.cast[np.int32](2.5))])
observe("sctypes", [t.__name__ for kind in ("int", "uint") for t in np.sctypes[kind][:3]])
observe("obj2sctype", [np.obj2sctype("f4").__name__, np.obj2sctype("no such", 1)])
observe("issubsctype", [np.issubsctype("f4", np.floating), np.issubsctype(int, np.floating)])


def function(a, b=2, *c, **d):
    return a, b, c, d


observe("getargspec", [list(part) if isinstance(part, (list, tuple)) else part
                       for part in inspect.getargspec(function)])
observe("abstract classes", [isinstance({}, collections.Mapping), isinstance([], collections.Sequence)])
