# SPDX-License-Identifier: Apache-2.0
"""The rules, by subject. A class of a rule in a module here is found; nothing else names it."""
