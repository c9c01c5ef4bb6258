# SPDX-License-Identifier: Apache-2.0
"""The forms in which a run is reported. Each is made from the same change records."""
