# SPDX-License-Identifier: BSD-2-Clause
#
# A function for scripts that count what differs; they end with
#	echo "$passed passed, $failed failed"

passed=0 failed=0

# same WHAT EXPECTED FOUND: counts the comparison as passed or failed.
same()
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf "FAIL %s: expected '%s', found '%s'\n" "$1" "$2" "$3"
	fi
}
