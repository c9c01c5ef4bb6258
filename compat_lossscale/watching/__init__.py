# SPDX-License-Identifier: Apache-2.0
"""Logs how a loss scale changes: in Keras' logs, in TensorBoard, and in plots."""
