# SPDX-License-Identifier: Apache-2.0
"""The programs, one module a project."""
