# SPDX-License-Identifier: BSD-2-Clause
#
# Every sh of Debian can limit descriptors, though POSIX does not say how.
# shellcheck disable=SC3045
. "$HERE/common_real"

# Descriptors inherited from the caller would count.
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-

# The limit of descriptors is raised for many processes; if that is not enough,
# it is reported.
start 3 4
start 5 6
start 7 8
(
	ulimit -Sn 20
	"$TBUFCTL" -l -n count | grep -c count
	"$TBUFCTL" -qZ -n count -c "sh -c 'ulimit -Sn'"
)
# Starting with almost none, the limit rises until all targets are found.  A
# partial list must come with a message, and some lists must be partial.
limit=3
while :; do
	listed=$( (
		ulimit -n "$limit"
		"$TBUFCTL" -l -n count | grep -c count
	) 2>err)
	listed=${listed:-0}
	[ "$listed" -lt 3 ] || break
	# The message is tbufctl's, the loader's, or a shell's, possibly this
	# one's: without a descriptor there is no pipe.
	grep -v 'does not match any probes' err | grep -q . ||
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

# A child's session finds no space.
lowest=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
TBUF_MAXSIZE=1152k "$TBUFCTL" -q --follow -x bufpolicy=ring \
    -x bufresize=manual -b 1m -x cpu="$lowest" -n count \
    -c "$TBUF_TARGET fire=1 fork=2" 2>err
cat err

# A child that cannot see the board is counted by its parent's session.  A
# sanitizer that looks for leaks would open files as it ends.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
export ASAN_OPTIONS
ctl -q --follow -x bufpolicy=ring -n count -c "$TBUF_TARGET fire=1 full fork=2"
ctl -q -n count -c "$TBUF_TARGET fire=1 full fork=2"
