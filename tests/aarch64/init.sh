#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The first process of the system that system.sh starts: it runs the tests
# there, prints their results, and turns the machine off.  /builds has `plain`
# and `inject`, the folders of the two builds.

/bin/busybox --install -s /bin
export PATH=/bin
# The emulated machine is some twenty times slower than a real one.
export CK_TIMEOUT_MULTIPLIER=20
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs -o mode=1777 shm /dev/shm
chmod 1777 /tmp
ln -s /proc/self/fd /dev/fd
ip link set lo up
printf '%s:x:%d:%d::/:/bin/sh\n' root 0 0 nobody 65534 65534 >/etc/passwd

passed=0
failed=0

# try COMMAND ...: runs a test in the folder of a build.
try() {
	printf '%s %s: ' "${build##*/}" "$*"
	start=$(cut -d. -f1 /proc/uptime)
	status=0
	(cd "$build" && exec timeout 600 "$@") >/tmp/log 2>&1 || status=$?
	echo "status $status, $(($(cut -d. -f1 /proc/uptime) - start)) s"
	# No test may be skipped here: 77 is a failure, too.
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		grep -E 'aborted|accounted for|none lost|requests:' /tmp/log
	else
		failed=$((failed + 1))
		cat /tmp/log
	fi
}

enter() {
	build=$1
	top_builddir=$build
	TBUF_TARGET=$build/tests/golden/cmd/target
	TBUF_PROVIDERS=$build/.libs
	TBUFCTL=$build/tbufctl/.libs/tbufctl
	LD_LIBRARY_PATH=$build/.libs
	export top_builddir TBUF_TARGET TBUF_PROVIDERS TBUFCTL LD_LIBRARY_PATH
}

cat /proc/version
echo "$(nproc) CPUs"
. /builds
# shellcheck disable=SC2154 # from there
enter "$inject"
try tests/unit/arch/rseq_sections
try tests/unit/target/lanes
try tests/stress/account 2000000
try tests/stress/kill 20
try tests/stress/attach 20
for test in speculations aggregations units variables; do
	try "tests/stress/$test" 2
done

# shellcheck disable=SC2154
enter "$plain"
try tests/unit/arch/rseq_sections
try tests/unit/target/lanes
try tests/unit/target/sessions
try tests/system/roundtrip
for test in target/register consumer/target_tables target/unit_bind \
    target/unit_steps clause/clauses clause/aggregate clause/speculate \
    clause/variables; do
	try "tests/unit/$test"
done
for test in no_system_calls clone enablings before_main memo_steps \
    no_side_effects shared_stamp several_sessions signals threads \
    unit_thread_lane units; do
	try "tests/guest/$test"
done
try tests/stress/account 2000000
try sh /user_emulator.sh "$TBUFCTL" "$TBUF_TARGET"
try sh /registry.sh "$TBUFCTL" "$build/tests/registry/registry_target"
try sh /kvd.sh
try sh /syscall.sh "$TBUFCTL" \
    "$build/tests/providers/syscall"
try sh /usdt.sh "$TBUFCTL" \
    "$build/tests/providers/usdt/programs"
try tests/providers/pid/functions_aarch64
try sh /pid.sh "$TBUFCTL" "$build/tests/providers/pid"
GLIBC_TUNABLES=glibc.pthread.rseq=0
export GLIBC_TUNABLES
echo 'without restartable sequences:'
try tests/unit/target/lanes
try tests/unit/target/sessions
for test in speculations aggregations units variables; do
	try "tests/stress/$test" 2
done
try sh /user_emulator.sh "$TBUFCTL" "$TBUF_TARGET"
try sh /kvd.sh

echo "$passed passed, $failed failed"
poweroff -f
