# SPDX-License-Identifier: Apache-2.0
"""Loss scales of other systems, recorded over random steps; see `record`."""
