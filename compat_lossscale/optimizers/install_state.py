# SPDX-License-Identifier: Apache-2.0
"""Whether the old names are in place, and programs therefore expect what those names meant."""

from __future__ import annotations

old_names_are_installed = False
"""Set by `install()`. The names then stand for classes that take optimizers of both families, and
a saved optimizer comes back as the experimental class, as up to TensorFlow 2.3."""
