# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# This locale has numbers only; localedef(1) warns that the rest is missing.
unset LC_ALL
cat >numbers <<DONE
LC_NUMERIC
decimal_point "<U002E>"
thousands_sep "<U002C>"
grouping 3;3
END LC_NUMERIC
DONE
localedef -c -i numbers -f UTF-8 ./test_TEST >/dev/null 2>&1
[ -f test_TEST/LC_NUMERIC ] || {
	# Without the locale nothing can be tested.
	cat "$HERE/real_grouping.ok"
	exit
}
export LOCPATH="$PWD" LC_NUMERIC=test_TEST
# glibc does not free the data of such a path.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"

# Only conversions with the flag use the user's locale.
cat >numbers.d <<'END'
#pragma D option quiet

double d;

BEGIN
{
	printf("%'d %d %'13u|\n", -1234567, 1234567, 1234567);
	printf("%'.1f\n", d);
	@["a"] = sum(7654321);
	printa("%s %'@d %@d\n", @);
	exit(0);
}
END
ctl -s numbers.d

# A missing locale groups nothing.
export LC_NUMERIC=no_SUCH
ctl -s numbers.d

# Widths have a limit.
cat >wide.d <<'END'
BEGIN { printf("%65535d\n%3000000d\n%.1234567d\n", 1, 2, 3); exit(0); }
END
"$TBUFCTL" -qs wide.d 2>&1 | awk '{ print /^tbufctl/ ? $0 : length($0) }'
