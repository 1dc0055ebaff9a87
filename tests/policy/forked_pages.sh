#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A forked child writes to one page of libtbuf only, as each costs a copy.

: "${top_builddir:?}"

library=$top_builddir/.libs/libtbuf.so

[ -z "$SANITIZER" ] || exit 77
command -v nm >/dev/null || exit 77
failed=0
symbols=$(nm "$library")
page=
for name in busy nruns runs slot stage tbuf_file tbuf_units_epoch; do
	# Other symbols with this name may be in other pages.
	pages=$(echo "$symbols" | awk -v name="$name" '
	    $2 ~ /[dD]/ && $3 == name { print substr($1, 1, 13) }')
	: "${page:=$pages}"
	case "$pages" in
	'') echo "$name is not there" ;;
	*"$page"*) continue ;;
	*) echo "$name is in another page: $pages, not $page" ;;
	esac
	failed=1
done
exit $failed
