# SPDX-License-Identifier: BSD-2-Clause
#
# Functions for scripts: the text size of the target side, by folders.

# Files that a plain fire does not need: clauses, units, recorders, last
# records, thread lanes, probes for bindings.
beyond_fire='libtbuf/machine/.*|libtbuf/target/(clause|unit|recorder|crash)/.*'
beyond_fire="$beyond_fire|libtbuf/target/api/(flush|recorder_(api|save))"
beyond_fire="$beyond_fire|libtbuf/target/probe/(intern|probe_handle)"
beyond_fire="$beyond_fire|libtbuf/target/lane/thread_(lane|exit|exit_key)"
beyond_fire="$beyond_fire|libtbuf/target/file/(exec_mappings|words)"
beyond_fire="$beyond_fire|libtbuf/shared/(array_element|program_file)"
beyond_fire="$beyond_fire|libtbuf/shared/(program_select|lane_(pair|usage))"
beyond_fire="$beyond_fire|libtbuf/base/safe_read(_call)?"

# target_sizes: prints "SOURCE BYTES" for each object of libtarget and
# libplain: its source (without the suffix) and its bytes of text.
target_sizes() {
	(cd "$top_builddir" && find libtbuf \( -name 'libtarget_la-*.o' \
	    -o -name 'libplain_la-*.o' \) -path '*/.libs/*' \
	    -exec size {} +) |
	    awk '$1 != "text" && $6 ~ /\.o$/ {
		sub(/\/\.libs\/lib[a-z]*_la-/, "/", $6)
		sub(/\.o$/, "", $6)
		print $6, $1
	    }' | while read -r source bytes; do
		[ ! -e "$top_srcdir/$source.c" ] || echo "$source $bytes"
	done
}

# sum_of SOURCES: prints the sum of those lines of target_sizes whose source
# matches SOURCES.
sum_of() {
	grep -xE -e "($1) [0-9]+" | awk '{ n += $2 } END { print n + 0 }'
}

# target_text [BUT]: prints the bytes of text in the objects of libtarget, apart
# from objects of sources that match BUT.
target_text() {
	target_sizes | grep -vxE -e "(${1:-/}) [0-9]+" |
	    awk '{ n += $2 } END { print n + 0 }'
}
