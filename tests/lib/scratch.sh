# SPDX-License-Identifier: BSD-2-Clause
#
# Scripts read this first: it runs them again under scratch_run (scratch.h)
# unless they run under it already, so that $SCRATCH and $SCRATCH_SHM belong to
# the script alone and are removed at its end.

[ -n "${SCRATCH-}" ] || exec "${top_builddir:?}/tests/lib/scratch_run" sh "$0" "$@"

# libtool's wrappers of programs run in bash, which complains about a locale
# that is not installed.
if command -v bash >/dev/null && [ -n "$(bash -c : 2>&1)" ]; then
	LC_ALL=C
	export LC_ALL
fi
