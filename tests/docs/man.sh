#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual pages are right: they are clean mdoc, every public function and
# macro has one and is found by its own name, tbufctl(1) and --help have the
# same options, the tables of tbuf(5) are those of the headers, the examples
# compile and work, and programs of D print the output in the pages.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:=cc}"
man=$top_srcdir/man
library=$top_srcdir/libtbuf/include
passed=0 failed=0
. "$top_srcdir/tests/lib/scratch.sh"
work=$SCRATCH
export TBUF_DIR="$work/run"
unset TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW

# expect WHAT COMMAND ...: expects success; prints the output if it fails.
expect() {
	what=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $what"
		cat "$work/log"
	fi
}

pages_are_clean() {
	if ! command -v mandoc >/dev/null; then
		echo 'no mandoc: the pages are not checked for errors'
		return
	fi
	for page in "$man"/*.[1-9]; do
		expect "${page##*/} is clean" mandoc -T lint -W warning "$page"
	done
}

# Finds table cells that are wider than their columns, except in the last
# column: groff sets the next cell directly after them, or a column further.
# The width is computed without formatting: most macros are omitted, functions
# get their parentheses.
wide_cells() {
	awk '
	function closed(out) {
		if (!call)
			return out
		call = 0
		return out ")"
	}
	function look(cell,	n, i, word, out, glue) {
		n = split(cell, word, " ")
		out = ""; glue = 1; call = 0
		for (i = 1; i <= n; i++) {
			if (word[i] == "Ns") {
				glue = 1
				continue
			}
			if (word[i] == "Oo" || word[i] == "Op")
				out = closed(out) (glue ? "[" : " [")
			if (word[i] == "Oc")
				out = closed(out) "]"
			if (word[i] ~ /^O[opc]$/)
				glue = word[i] != "Oc"
			if (word[i] == "Fn" && i < n) {
				out = closed(out) (glue ? "" : " ") word[++i] "("
				call = glue = 1
				continue
			}
			if (word[i] ~ /^[A-Z][a-z]$/)
				continue
			if (word[i] ~ /^[],.;:)]$/) {
				out = closed(out) word[i]
				continue
			}
			out = out (glue ? "" : call ? ", " : " ") word[i]
			glue = 0
		}
		out = closed(out)
		gsub(/\\&|"/, "", out)
		return out
	}
	/^\.Bl -column/ {
		line = $0
		columns = 0
		while (match(line, /"[^"]*"/)) {
			width[++columns] = RLENGTH - 2
			line = substr(line, RSTART + RLENGTH)
		}
	}
	/^\.El/ { columns = 0 }
	columns && /^\.It/ {
		n = split(substr($0, 5), cell, / Ta /)
		for (i = 1; i < n; i++)
			if (length(look(cell[i])) > width[i]) {
				print FNR ": " look(cell[i])
				wide = 1
			}
	}
	END { exit wide }' "$1"
}

columns_are_wide_enough() {
	for page in "$man"/*.[1-9]; do
		expect "${page##*/} has columns as wide as their cells" \
		    wide_cells "$page"
	done
}

# Prints the functions and macros that programs may use, one on a line.
public_names() {
	grep -ho '\<tbuf_[a-z_]*(' "$library/tbuf.h" \
	    "$library/tbuf_consumer.h" "$library/tbuf_text.h" | tr -d '(' |
	    grep -v '^tbuf_private' | sort -u
	echo TBUF_ASSERT
	echo TBUF_COMPONENT
	echo TBUF_PROBE
	echo TBUF_ENABLED
	echo TBUF_BYTES
}

# Prints the page that has a name in its section NAME.
page_of() {
	for page in "$man"/*.3; do
		if sed -n '/^\.Sh NAME/,/^\.Sh SYNOPSIS/p' "$page" |
		    grep -q "^\.Nm $1\( ,\)*\$"; then
			echo "$page"
			return 0
		fi
	done
	echo "no page has $1 in its NAME"
	return 1
}

# Expects that a name has a prototype, and text beyond it.
is_documented() {
	page=$(page_of "$1") || { echo "$page"; return 1; }
	if [ "$(grep -c "\<$1\>" "$page")" -lt 3 ]; then
		echo "${page##*/} has little to say of $1"
		return 1
	fi
}

# Expects that man(1) finds it: a page or a link has this name.
is_found() {
	page=$(page_of "$1") || { echo "$page"; return 1; }
	page=$(basename "$page" .3)
	[ "$page" = "$1" ] ||
	    grep -q "[[:blank:]]$page:$1\( \\\\\)*\$" "$man/Makefile.inc"
}

functions_have_pages() {
	for name in $(public_names); do
		expect "$name is documented" is_documented "$name"
		expect "$name is found" is_found "$name"
	done
}

# Prints options, one on a line: -b, --format.  The summary joins some: [-qvZ].
options_of_help() {
	"$TBUFCTL" --help | grep -o '\(^\|[[ ]\)--*\(32\|[a-zA-Z]\{1,\}\)' |
	    tr -d '[ ' | sed '/^--/b
	    /^-32$/b
	    s/^-//; s/./-&\n/g' | sed '/^$/d' | sort -u
}

options_of_page() {
	sed -n '/^\.Sh OPTIONS/,/^\.Ss/s/^\.It Fl \([^ ]*\).*/-\1/p' \
	    "$man/tbufctl.1" | sed 's/\\-/-/g'
}

help_fits_terminals() {
	"$TBUFCTL" --help | awk 'length > 80 { wide = 1; print } END { exit wide }'
}

options_are_the_same() {
	options_of_help >"$work/help"
	options_of_page | sort -u >"$work/page"
	[ "$(wc -l <"$work/page")" -gt 15 ] &&
	    diff -u "$work/help" "$work/page"
}

# Expects that each name of -x in --help is in the page's table, and is
# accepted.
x_options_are_the_same() {
	"$TBUFCTL" --help | sed -n '/^  -x/,/^  -o/p' | tr ' ,:' '\n' |
	    sed 's/=.*//' | grep -x -e '[a-z]*size' -e '[a-z]*rate' \
	    -e bufpolicy -e bufscope -e nbuf -e cpu -e droptags \
	    -e dropsoon -e flowindent -e quiet -e temporal -e syscall \
	    -e usdt -e pair -e pid -e pidobject -e otlp -e nunits -e unitpolicy \
	    -e unitselect -e unitslow -e unithung |
	    sort -u >"$work/help"
	sed -n -e '/"switchrate" "switch/,/^\.El/s/^\.It Cm \([a-z]*\).*/\1/p' \
	    -e '/"aggsortkeypos" "fill/,/^\.El/s/^\.It Cm \([a-z]*\).*/\1/p' \
	    "$man/tbufctl.1" | sort -u >"$work/page"
	# These two have an option of their own in the summary.
	printf 'follow\nzdefs\n' | sort -u - "$work/help" |
	    diff -u - "$work/page"
}

# Prints assertions for the tables that follow a comment: .\" layout STRUCTURE
layout_assertions() {
	printf '#include "%s.h"\n' shared/program_file layout/text_trace
	echo '#include "layout/layout.h"'
	awk '
	/^\.\\" layout / { structure = $3; next }
	/^\.El/ { structure = "" }
	structure != "" && $1 == ".It" && $2 != "Em" && $6 == "Va" {
		field = "((struct " structure " *)0)->" $7
		printf "_Static_assert(offsetof(struct %s, %s) == %s && " \
		    "sizeof(%s) == %s, \"%s.%s\");\n", structure, $7, $2,
		    field, $4, structure, $7
	}' "$man/tbuf.5"
}

# limit EXPRESSION TEXT: prints an assertion that the number N of a text in
# libtbuf(3) is the value of the expression.
limit() {
	printf '_Static_assert(%s == %s, "libtbuf(3): %s");\n' "$1" \
	    "$(echo "$2" | sed 's/N/\\([0-9]*\\)/; s/.*/s|.*&.*|\\1|p/' |
	    sed -n -f - "$man/libtbuf.3")" "$2"
}

limit_assertions() {
	limit TBUF_NPROBES_MAX 'has up to N probes'
	limit TBUF_NSESSIONS ' and N sessions'
	limit TBUF_RECORD_MAX 'A record has up to N bytes'
	limit '(TBUF_TABLES + TBUF_NPROBES_MIN * (sizeof(uint32_t) +
	    sizeof(struct tbuf_probe_entry) + TBUF_PROBE_STRINGS)) >> 10' \
	    'smallest control file, N KiB'
}

tables_are_the_headers() {
	layout_assertions >"$work/layout.c"
	limit_assertions >>"$work/layout.c"
	[ "$(grep -c _Static_assert "$work/layout.c")" -gt 100 ] &&
	    $CC -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir/libtbuf" -I"$library" \
	    -fsyntax-only "$work/layout.c"
}

# example PAGE: prints the program in its first unindented display in EXAMPLES.
example() {
	awk '/^\.Sh EXAMPLES/ { here = 1 }
	    /^\.Ed/ { if (show) exit }
	    show { gsub(/\\e/, "\\"); print }
	    here && /^\.Bd -literal$/ { show = 1 }' "$man/$1"
}

compile() {
	output=$1
	shift
	# shellcheck disable=SC2086	# the compiler may have arguments
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror ${SANITIZER:+"-fsanitize=$SANITIZER"} \
	    -I"$library" "$@" -o "$output" -L"$top_builddir/.libs" \
	    -Wl,-rpath,"$top_builddir/.libs" -ltbuf
}

examples_compile() {
	example TBUF_PROBE.3 >"$work/shop.c"
	cat >>"$work/shop.c" <<-END
	int
	main(void)
	{
		struct request r = { 7, "/a", { 1 } };

		serve(&r);
		return (0);
	}
	END
	example tbuf_probe_register.3 >"$work/script.c"
	cat >>"$work/script.c" <<-END
	int
	main(void)
	{
		if (binding_init() != 0)
			return (1);
		binding_call("car", 3, 0.5);
		return (0);
	}
	END
	example tbuf_probe_new.3 >"$work/binding.c"
	cat >>"$work/binding.c" <<-END
	int
	main(void)
	{
		binding_init();
		binding_call("car", 3);
		return (0);
	}
	END
	example libtbuf_consumer.3 >"$work/reader.c"
	for program in shop script binding reader; do
		compile "$work/$program" "$work/$program.c" || return 1
	done
}

# The reader of the example knows some types only; tbufctl knows them all.
examples_work() {
	printf 'request-start id=? path=/a key=?\nrequest-done id=?\n' \
	    >"$work/expected"
	"$work/reader" "$work/shop" >"$work/got" &&
	    diff -u "$work/expected" "$work/got" || return 1
	echo 'what="car" line=3 load=0.5' >"$work/expected"
	"$TBUFCTL" -q -n script:main.scm:eval:call -c "$work/script" \
	    >"$work/got" &&
	    diff -u "$work/expected" "$work/got" || return 1
	echo 'what="car" line=3' >"$work/expected"
	"$TBUFCTL" -q -n script:main.scm:eval:call -c "$work/binding" \
	    >"$work/got" &&
	    diff -u "$work/expected" "$work/got"
}

# scripts PAGE: puts its programs, which follow .\" script ARGUMENT..., into N.d
# and N.args, and their output, which follows .\" prints STATUS, into N.out and
# N.status.
scripts() {
	awk -v to="$work/script" '
	/^\.\\" script/ { n++; $1 = $2 = ""; print >(to n ".args")
	    file = to n ".d"; next }
	/^\.\\" prints/ { print $3 + 0 >(to n ".status")
	    file = to n ".out"; next }
	/^\.Ed/ { if (show) file = ""; show = 0 }
	show { gsub(/\\e/, "\\"); gsub(/\\&/, ""); print >file }
	/^\.Bd/ && file != "" { show = 1 }' "$man/$1"
}

# prints SCRIPT: expects the output and the status in its page.
prints() {
	# shellcheck disable=SC2046	# arguments are words
	"$TBUFCTL" -q -s "$1.d" $(cat "$1.args") >"$1.came" 2>"$1.told"
	echo $? | diff -u "$1.status" - || { cat "$1.told"; return 1; }
	# The empty line after the run is removed.
	sed '$ { /^$/d; }' "$1.came" | diff -u "$1.out" -
}

programs_print_what_pages_say() {
	for page in tbuf_d.7 tbuf_dtrace.7; do
		rm -f "$work"/script*
		scripts "$page"
		expect "$page has programs" test -s "$work/script1.out"
		for script in "$work"/script*.d; do
			expect "$page, ${script##*/}" prints "${script%.d}"
		done
	done
}

# Every name that the compiler knows is in tbuf_d(7) or tbuf_dtrace(7).
names_are_documented() {
	sed -n 's/^	X(\([a-z_0-9]*\), [0-9].*/\1/p' \
	    "$top_srcdir/libtbufd/builtins.h" >"$work/names"
	[ "$(wc -l <"$work/names")" -gt 100 ] || return 1
	cat "$man/tbuf_d.7" "$man/tbuf_dtrace.7" >"$work/pages"
	for name in $(grep -v '^arg[1-8]$' "$work/names"); do
		grep -qw -e "$name" "$work/pages" || {
			echo "no page has $name"
			return 1
		}
	done
}

pages_are_clean
columns_are_wide_enough
functions_have_pages
expect '--help fits 80 columns' help_fits_terminals
expect 'tbufctl(1) and --help have the same options' options_are_the_same
expect 'tbufctl(1) and --help have the same -x' x_options_are_the_same
expect 'the tables of tbuf(5) are those of the headers' tables_are_the_headers
expect 'the examples compile' examples_compile
expect 'the examples work' examples_work
programs_print_what_pages_say
expect 'all names of D are documented' names_are_documented
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
