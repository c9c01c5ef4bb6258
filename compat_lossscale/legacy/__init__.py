# SPDX-License-Identifier: Apache-2.0
"""Makes old programs run: the old names, how they are installed, and how a program is started."""
