# SPDX-License-Identifier: BSD-2-Clause
#
# Functions for scripts that compare texts.  report is a script's last command,
# so that its status is the script's.

passed=0 failed=0

# expect WHAT GOT EXPECTED
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n--- expected\n%s\n--- got\n%s\n' "$1" "$3" "$2"
	fi
}

report() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
