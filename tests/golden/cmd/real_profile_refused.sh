# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
events=$(dirname "$TBUF_TARGET")/events

# refused ERROR COMMAND ...: profile-N without samples fires as without a
# target.
refused()
{
	error=$1
	shift
	"$@" "$events" "$error" "$TBUFCTL" -q -n 'profile-97 {
	    printf("pid %d, %d frames\n", pid, ustackdepth); exit(3); }' \
	    -c "$TBUF_TARGET wait" 2>&1 </dev/null
	echo "= $?"
}

# A mount namespace may have another file for the kernel's setting.
level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo -1)
plain()
{
	sed -e "s/perf_event_paranoid is $level)/perf_event_paranoid is LEVEL)/" \
	    -e '/left running$/d' -e '/^$/d'
}

echo 'a filter'
if [ "$level" -le 2 ]; then
	refused EPERM env | plain
else
	# The setting is the reported reason.
	sed '1d;/^no perf events$/,$d' "$HERE/real_profile_refused.ok"
fi
echo 'no perf events'
refused ENOSYS env | plain
echo 4 >four
if [ -e /proc/sys/kernel/perf_event_paranoid ] && unshare -rm mount --bind \
    four /proc/sys/kernel/perf_event_paranoid 2>/dev/null; then
	echo 'a setting'
	# shellcheck disable=SC2016 # for another shell
	refused EACCES unshare -rm sh -c '
	    mount --bind four /proc/sys/kernel/perf_event_paranoid &&
	    exec "$@"' - | plain
else
	# No namespace can be made here.
	sed -n '/^a setting$/,$p' "$HERE/real_profile_refused.ok"
fi
