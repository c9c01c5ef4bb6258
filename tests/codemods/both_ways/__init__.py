# SPDX-License-Identifier: Apache-2.0
"""Whole programs, run both ways: under `compat-lossscale run`, and migrated on tf-keras alone.

What a migrated program does is what it did, or a finding stands at a line that explains the
difference. `python -m tests.codemods.both_ways --help` says how to run them.
"""
