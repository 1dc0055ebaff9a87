# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# -x aggtop redraws the largest values in place; each screen is the same here.
program='BEGIN { @["one"] = sum(1); @["two"] = sum(2); @["three"] = sum(3);
    @n["four"] = count(); }'
escape=$(printf '\033')

drawn()
{
	[ -f typescript ] && [ "$(grep -cF "${escape}[H" typescript)" -ge "$1" ]
}

# screens COMMANDS OPTIONS: prints the screens until an interrupt, and the
# output after it; each screen once, with a "=" above it.
screens()
{
	rm -f typescript
	script -q -e -c "$1; echo \$\$ >pid; exec '$TBUFCTL' $2 \
	    -x statusrate=20ms -n '$program'" typescript </dev/null \
	    >script.out &
	until drawn 3; do
		sleep 0.02
	done
	kill -INT "$(cat pid)"
	wait $!
	echo "= $?"
	sed -e '/^Script /d' -e 's/\r$//' -e "s/${escape}\[H/=\n/g" \
	    -e "s/${escape}\[J//g" typescript |
	    awk 'BEGIN { RS = "=\n" } !seen[$0]++ { printf("=\n%s", $0) }'
}

echo "two of each:"
screens true "-q -x aggtop=2"
echo "of a small terminal:"
screens "stty rows 7" "-q -x aggtop"
echo "of a narrow one, in columns:"
program='BEGIN { @["ABCDEFG"] = sum(1); @["äöüäöü"] = sum(2);
    @["日本語"] = sum(3); @["A日本語"] = sum(4); @["AB\tC"] = sum(5); }'
screens "stty cols 7" "-q -x aggtop"
echo "what cannot be:"
ctl -x aggtop -n BEGIN
ctl -x aggtop=0 -n BEGIN
ctl -x aggtop --format=json -n BEGIN
