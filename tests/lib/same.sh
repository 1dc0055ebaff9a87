# SPDX-License-Identifier: BSD-2-Clause
#
# For scripts that compare and go on: they end with
#	echo "$passed passed, $failed failed"

passed=0 failed=0

# same WHAT EXPECTED FOUND
same()
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf "FAIL %s: expected '%s', found '%s'\n" "$1" "$2" "$3"
	fi
}
