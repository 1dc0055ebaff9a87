# SPDX-License-Identifier: BSD-2-Clause
#
# Any sh of Debian can limit descriptors, though POSIX does not say how.
# shellcheck disable=SC3045
. "$HERE/common_real"

# What a runner has left open would count.
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-

# Descriptors: the limit is raised for many processes, and when that is not
# enough it is said.
start 3 4
start 5 6
start 7 8
(
	ulimit -Sn 20
	"$TBUFCTL" -l -n count | grep -c count
	"$TBUFCTL" -qZ -n count -c "sh -c 'ulimit -Sn'"
)
# From nearly none, one more each time, until all are found: fewer are never
# listed in silence, and somewhere on the way it is some of them.
limit=3
while :; do
	listed=$( (
		ulimit -n "$limit"
		"$TBUFCTL" -l -n count | grep -c count
	) 2>err)
	listed=${listed:-0}
	[ "$listed" -lt 3 ] || break
	# It is tbufctl that says so, or the loader, or a shell before it, which
	# may be this one: without a descriptor there is no pipe.
	grep -v 'no probes matched' err | grep -q . ||
	    echo "$listed in silence"
	[ "$listed" -eq 0 ] || { some=$listed; cat err >some; }
	limit=$((limit + 1))
done
echo "some: ${some:+yes}"
cat some err
tell 3
tell 5
tell 7
wait

# Space: a child's session finds none left.
lowest=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
TBUF_MAXSIZE=1152k "$TBUFCTL" -q --follow -x bufpolicy=ring \
    -x bufresize=manual -b 1m -x cpu="$lowest" -n count \
    -c "$TBUF_TARGET fire=1 fork=2" 2>err
cat err

# A child that cannot see the board is one that its parent's session counts.  A
# sanitizer that looks for leaks would open files as it ends.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
ctl -q --follow -x bufpolicy=ring -n count -c "$TBUF_TARGET fire=1 full fork=2"
ctl -q -n count -c "$TBUF_TARGET fire=1 full fork=2"
