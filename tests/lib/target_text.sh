# SPDX-License-Identifier: BSD-2-Clause
#
# Functions for scripts: the text size of the target side, by folders.

# Files that a plain fire does not need: clauses, units, recorders, last
# records, thread lanes.
beyond_fire='libtbuf/machine/.*|libtbuf/target/(clause|unit|recorder|crash)/.*'
beyond_fire="$beyond_fire|libtbuf/target/api/recorder_api"
beyond_fire="$beyond_fire|libtbuf/target/lane/thread_(lane|exit|exit_key)"
beyond_fire="$beyond_fire|libtbuf/target/file/exec_mappings"
beyond_fire="$beyond_fire|libtbuf/shared/(array_element|program_file)"
beyond_fire="$beyond_fire|libtbuf/shared/(program_select|lane_usage)"
beyond_fire="$beyond_fire|libtbuf/base/safe_read(_call)?"

# target_text [BUT]: prints the bytes of text in the objects of libtarget, apart
# from objects of sources that match BUT (names without the suffix).
target_text() {
	(cd "$top_builddir" && find libtbuf -name 'libtarget_la-*.o' \
	    -path '*/.libs/*') | while read -r object; do
		source=$(echo "$object" |
		    sed 's|/\.libs/libtarget_la-|/|; s|\.o$||')
		[ -e "$top_srcdir/$source.c" ] || continue
		echo "$source" | grep -qxE -e "${1:-/}" || echo "$object"
	done | (cd "$top_builddir" && xargs size) |
	    awk 'NR > 1 { n += $1 } END { print n + 0 }'
}
