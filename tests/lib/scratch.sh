# SPDX-License-Identifier: BSD-2-Clause
#
# For scripts, which read it first: runs them again under scratch_run
# (scratch.h) where that was not done, so that $SCRATCH and $SCRATCH_SHM are
# theirs alone and go when they end.

[ -n "${SCRATCH-}" ] || exec "${top_builddir:?}/tests/lib/scratch_run" sh "$0" "$@"

# Each bash, which libtool's wrappers of programs run in, would complain of a
# locale that is not installed.
if command -v bash >/dev/null && [ -n "$(bash -c : 2>&1)" ]; then
	LC_ALL=C
	export LC_ALL
fi
