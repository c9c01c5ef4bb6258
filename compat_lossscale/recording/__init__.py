# SPDX-License-Identifier: Apache-2.0
"""Recordings of how programs train: the recorder, reading them, and comparing two of them.

`recorder` is one file that runs in environments without this package; nothing imports it here.
"""
