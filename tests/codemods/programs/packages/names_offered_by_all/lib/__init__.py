# SPDX-License-Identifier: Apache-2.0

from lib.precision import *
from lib.precision import __all__ as _precision
from lib.loop import fit

__all__ = [*_precision, "fit"]
