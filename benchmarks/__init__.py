# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: this package beside what a user would pick instead."""
