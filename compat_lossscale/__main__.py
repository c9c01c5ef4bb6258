# SPDX-License-Identifier: Apache-2.0
"""`python -m compat_lossscale`."""

from compat_lossscale.cli import main

if __name__ == "__main__":
    main()
