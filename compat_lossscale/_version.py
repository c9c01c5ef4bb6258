# SPDX-License-Identifier: Apache-2.0
"""The version of this distribution. The build reads it too."""

__version__ = "0.1.0"
