# SPDX-License-Identifier: Apache-2.0
"""The codemod on public repositories, none of whose code is kept here."""
