# SPDX-License-Identifier: Apache-2.0
"""Shows what a loss scale does: in Keras' logs, and in plots."""
