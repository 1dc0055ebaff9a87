#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each public header compiles by itself and twice, as C and as C++, without a
# warning, with only its folder in the search path.  Each header of the layout
# does so as C.

set -eu
: "${top_srcdir:?}" "${CC:=cc}" "${CXX:=c++}"

# compile COMPILER LANGUAGE STANDARD: compiles the standard input.
compile() {
	$1 -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
	    -I"$top_srcdir/libtbuf/include" -
}

for header in tbuf.h tbuf_consumer.h tbuf_registry.h tbuf_text.h tbuf/sys/sdt.h; do
	source="#include <$header>
#include <$header>
int main(void) { return 0; }"
	for standard in c11 gnu11 c17; do
		echo "$header as $standard"
		printf '%s\n' "$source" | compile "$CC" c $standard
	done
	for standard in c++17 gnu++17 c++20; do
		echo "$header as $standard"
		printf '%s\n' "$source" | compile "$CXX" c++ $standard
	done
done

for path in "$top_srcdir"/libtbuf/layout/*.h; do
	header=layout/${path##*/}
	echo "$header"
	printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' \
	    "$header" "$header" | compile "$CC -I$top_srcdir/libtbuf" c gnu11
done
