# SPDX-License-Identifier: Apache-2.0
"""The members of the old classes, written once for all front ends."""
