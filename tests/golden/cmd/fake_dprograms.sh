# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Options without a meaning here are refused by name.
play </dev/null
for flag in -a -A -B -33; do
	ctl $flag -n kv:::
done

# -e ends before tracing, when the programs are known to be right.
play <<END
show
$probes
END
ctl -e -n kv:::
ctl -e -n 'BEGIN { exit(0); }'
ctl -e -n 'BEGIN { exit(0); }' -n kv:::request-start

# The compiler reports errors of a program or a library.
ctl -e -n 'BEGIN { trace(x); }'
ctl -x errtags -n 'BEGIN { trace(x); }'
ctl -n 'BEGIN
{
	printf("%d", "x");
}'
ctl -s nowhere.d
# The compiler has no room for thousands of nested parentheses.
{
	echo 'BEGIN { trace('
	printf '%20000s1%20000s' '' '' | tr ' ' '('
	echo '); }'
} >deep.d
ctl -s deep.d
echo 'BEGIN { trace(x); }' >script.d
ctl -s script.d
# Some editors write a byte order mark before UTF-8.
printf '\357\273\277#!/usr/bin/env -S tbufctl -s\nBEGIN { trace(x); }\n' >mark.d
ctl -s mark.d
mkdir library
echo 'inline int two = 2;' >library/b.d
printf '#pragma D depends_on library b.d\ninline int a = two;\n' >library/a.d
ctl -q -L library -e -n 'BEGIN { trace(a); }'
echo 'inline int c = nothing();' >library/c.d
ctl -L library -e -n 'BEGIN { trace(1); }'
ctl -L library -x nolibs -q -e -n 'BEGIN { trace(1); }'
# With -e, libraries need no program, nor a probe.
for probe in '' '-n kv:::request-start'; do
	ctl -e -b 1m -x quiet -L library $probe
	ctl -e -L library -x nolibs $probe
done
echo 'inline int c = 3;' >library/c.d
ctl -e -b 1m -x quiet -L library
ctl -e -x nonsense -L library
ctl -e
echo '#pragma D depends_on library a.d' >library/b.d
ctl -e -L library
ctl -L library -e -n 'BEGIN { trace(1); }'
echo '#pragma D depends_on library none.d' >library/b.d
ctl -L library -e -n 'BEGIN { trace(1); }'

# Arguments follow the options.
ctl -e -n 'BEGIN { trace($1); }' 5
ctl -e -n 'BEGIN { trace(1); }' 5
ctl -x argref -e -n 'BEGIN { trace(1); }' 5
DTRACE_OPT_ARGREF=1 ctl -e -n 'BEGIN { trace(1); }' 5

# The consumer refuses the script.
play <<END
fail script EOPNOTSUPP "kv:::: clauses at probes of programs are not in this version"
$probes
END
ctl -n 'kv::: { trace(1); }'
ctl -n 'BEGIN { system("true"); exit(0); }'
play <<END
$probes
END
ctl -n 'BEGIN { system("true"); }'
ctl -w -n 'BEGIN { system("true"); }'
# In DTrace, the parts of a clause with an if are clauses that match, too.
ctl -n 'BEGIN /1/ { x = 1; if (x) y = 1; else { y = 2; } y = 3; }' \
    -n 'END, BEGIN { if (1) x = 1; }'
ctl -x version=0.9 -n BEGIN
ctl -x version=1.5 -x version=1.6 -n BEGIN
ctl -X x -n BEGIN

# -S prints the variables that a clause uses; only they are compared here.
ctl -S -q -e -n 'BEGIN { x = 5; trace(x); }' | sed -n '1p; /NAME/,$p'
