#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prints page.html with its style and script, in two arrays of C.
#
#	make_page.sh SOURCE BUILD
#
# Comments, indentation and empty lines are left out.  The page's policy allows
# this script and this style alone, by hash.

set -eu
source=$1 build=$2

# hash FILE: prints the policy's word for it.  Three hexadecimal digits are two
# of base64.
hash() {
	sha256sum <"$1" | awk '{
		digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		digits = digits "0123456789+/"
		for (i = 1; i <= 64; i += 3) {
			n = 0
			for (j = i; j < i + 3; j++)
				n = 16 * n + index("123456789abcdef",
				    substr($1, j, 1) substr("-", 1, j > 64))
			text = text substr(digits, int(n / 64) + 1, 1)
			if (i < 64)
				text = text substr(digits, n % 64 + 1, 1)
		}
		printf "sha256-%s=", text
	}'
}

# array NAME: prints standard input as an array.
array() {
	echo "const unsigned char page_$1[] = {"
	od -An -v -tu1 | sed 's/  */,/g; s/^,//; s/$/,/'
	echo '};'
	echo "const size_t page_$1_size = sizeof(page_$1);"
}

# part HEAD|TAIL: prints the page up to the data, or from there on.
part() {
	awk -v part="$1" -v css="$build/page.css.new" \
	    -v js="$build/page.js.new" -v script="$script" -v style="$style" '
	function include(file,    before, line) {
		while ((getline line <file) > 0) {
			printf "%s%s", before, line
			before = "\n"
		}
		close(file)
	}
	/^<!--.*-->$/ {
		next
	}
	/@DATA@/ {
		split($0, around, "@DATA@")
		if (part == "head")
			printf "%s", around[1]
		else
			print around[2]
		tail = 1
		next
	}
	(tail == 1) != (part == "tail") {
		next
	}
	/@STYLE@/ {
		printf "<style>"
		include(css)
		print "</style>"
		next
	}
	/@SCRIPT@/ {
		printf "<script>"
		include(js)
		print "</script>"
		next
	}
	{
		gsub(/@STYLE_HASH@/, style)
		gsub(/@SCRIPT_HASH@/, script)
		sub(/^[ \t]*/, "")
		print
	}' "$source/page.html"
}

sed 's/^[ 	]*//; /^\/\*.*\*\/$/d; s/\([:,]\) /\1/g; s/ {/{/; s/; }/}/' \
    "$source/page.css" | tr -d '\n' >"$build/page.css.new"
awk -f "$source/shorten.awk" "$source/page.js" >"$build/page.js.new"
style=$(hash "$build/page.css.new")
script=$(hash "$build/page.js.new")
echo '/* Made by make_page.sh. */'
echo '#include "page/page.h"'
part head | array head
part tail | array tail
