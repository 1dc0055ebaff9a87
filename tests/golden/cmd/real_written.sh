# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The total counts the records that the file has, if no more can be written.
# The limit leaves room for the buffers, and the file is nearly as large.
limited()
{
	room=$1
	shift
	echo "$room $*"
	rm -f file
	truncate -s $((67108864 - room)) file
	(ulimit -f 131072; exec "$TBUFCTL" -o file "$@" -n count \
	    -c "$TBUF_TARGET fire=50000" 2>err)
	echo "= $?"
	# shellcheck disable=SC2046 # three numbers
	set -- $(total err) "$(grep -ac 'number=.*"a text"$' file)"
	[ "$1" -lt 50000 ] && [ "$1" = "$4" ] && echo same ||
	    echo "total $1, in the file $4"
}

limited 500001
limited 500001 -q
limited 500001 -F
limited 500001 --format=log
limited 500001 -q --with=tid,name
# A part of a line is no record.
limited 10 -q
limited 10
