#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each public header compiles by itself and twice, as C and as C++, without a
# warning, with only its folder in the search path, and so do its macros in a
# program.  Each header of the layout does so as C.

set -eu
: "${top_srcdir:?}" "${CC:=cc}" "${CXX:=c++}"

# compile COMPILER LANGUAGE STANDARD [WARNING...]: compiles the standard input.
compile() {
	compiler=$1 language=$2 standard=$3
	shift 3
	$compiler -x "$language" -std="$standard" -Wall -Wextra -Wpedantic \
	    -Werror "$@" -fsyntax-only -I"$top_srcdir/libtbuf/include" -
}

# A program that uses the macros of tbuf_text.h, which tests/macros does not.
messages='
TBUF_COMPONENT(component, "component");
void message(int level);
void message(int level)
{
	tbuf_text(&component, level, "level %d", level);
	TBUF_ASSERT(level > 0);
}'
strict="-Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wundef
    -Wredundant-decls -Wmissing-declarations"
strict_cxx="$strict -Wold-style-cast -Wzero-as-null-pointer-constant"

for header in tbuf.h tbuf_consumer.h tbuf_registry.h tbuf_text.h tbuf/sys/sdt.h; do
	source="#include <$header>
#include <$header>
int main(void) { return 0; }"
	case $header in
	tbuf_text.h) source="$source$messages" ;;
	esac
	for standard in c11 gnu11 c17; do
		echo "$header as $standard"
		printf '%s\n' "$source" | compile "$CC" c $standard \
		    $strict
	done
	for standard in c++11 c++17 gnu++17 c++20; do
		echo "$header as $standard"
		printf '%s\n' "$source" | compile "$CXX" c++ \
		    $standard $strict_cxx
	done
done

for path in "$top_srcdir"/libtbuf/layout/*.h; do
	header=layout/${path##*/}
	echo "$header"
	printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' \
	    "$header" "$header" | compile "$CC -I$top_srcdir/libtbuf" c gnu11
done
