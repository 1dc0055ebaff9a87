#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Root reads the files of all users and containers; other users do not, and no
# user's directories and files hide or forge those of another.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}"

# The test has a /dev/shm and processes of its own, in namespaces.
if [ "${1-}" != inside ]; then
	if [ "$(id -u)" != 0 ]; then
		echo 'not root: skipped'
		exit 77
	fi
	if ! unshare -mpf --mount-proc mount -t tmpfs tmpfs /dev/shm 2>/dev/null ||
	    ! setpriv --reuid 1001 --clear-groups true; then
		echo 'no mount namespace or other users: skipped'
		exit 77
	fi
	unshare -mpf --mount-proc sh "$0" inside
	exit
fi
mount -t tmpfs -o mode=1777 tmpfs /dev/shm || exit 1
unset TBUF_DIR TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
chmod 755 "$SCRATCH"
cd "$SCRATCH" || exit 1

# as UID COMMAND ...: runs a command as another user.
as()
{
	user=$1
	shift
	setpriv --reuid "$user" --clear-groups "$@"
}

# leave UID ORDER ...: a target that records is killed.  Its pid is in $pid.
leave()
{
	user=$1
	shift
	setpriv --reuid "$user" --clear-groups env \
	    TBUF_OPTIONS=nunits=4,bufsize=64k,probes=count \
	    "$TBUF_TARGET" "$@" kill=9 2>/dev/null >/dev/null &
	pid=$!
	wait "$pid"
} 2>/dev/null

# live COMMAND ...: starts a target that waits; its pid is in $pid.
live()
{
	rm -f word line
	mkfifo word line
	chmod 666 word line
	"$@" <line >word &
	pid=$!
	exec 3>line 4<word
	read -r heard <&4
	same 'the word of a target' here "$heard"
}

end()
{
	exec 3>&- 4<&-
	wait "$pid"
}

# read_pid ARGUMENT ...: prints the numbers of records, or the messages.
read_pid()
{
	"$TBUFCTL" -q --read "$@" 2>&1 | sed -n \
	    's/.*number=\([0-9]*\).*/\1/p; /total:/d; s/^tbufctl: //p' |
	    sed 's/[0-9a-f]\{16\}/RANDOM/; s/pid [0-9]*/pid N/' | tr '\n' ' '
}

# files: prints the directories of the files that are left, and messages.
files()
{
	"$TBUFCTL" --left 2>&1 | sed -n 's/^tbufctl/&/p
	    s|.* \([^ ]*\)tbuf\.[0-9]*\.[0-9a-f]*$|\1|p' |
	    sed 's|/proc/[0-9]*/|/proc/N/|' | sort | tr '\n' ' '
}

# ---------------------------------------------------------------- users

leave 1001 fire=2 unit=7 fire=1
first=$pid
leave 0 fire=1
own=$pid
leave 1002 fire=1
second=$pid
same 'files for root' ' /dev/shm/tbuf-1001/ /dev/shm/tbuf-1002/ ' "$(files)"
same 'files for a user' ' ' "$(as 1001 sh -c "$(cat <<END
"$TBUFCTL" --left | sed -n 's|.* \\([^ ]*\\)tbuf\\.[0-9]*\\.[0-9a-f]*\$|\\1|p' |
    tr '\\n' ' '
END
)")"
same 'as JSON' 1 "$("$TBUFCTL" --left --format=json |
    grep -c "\"pid\":$first,.*\"file\":\"/dev/shm/tbuf-1001/tbuf\\.$first\\.")"
same 'a dead process' '1 2 1 ' "$(read_pid "$first")"
same 'a dead process of root' '1 ' "$(read_pid "$own")"
same 'for another user' 'failed to grab pid N: No such process ' \
    "$(as 1002 "$TBUFCTL" -q --read "$first" 2>&1 |
    sed 's/^tbufctl: //; s/pid [0-9]*/pid N/' | tr '\n' ' ')"
same '-p of a dead process' 3 \
    "$("$TBUFCTL" -q -n count -p "$first" 2>&1 | grep -c number=)"
same 'units' "$first dead 7" "$("$TBUFCTL" --units |
    awk 'NR > 1 { print $1, $2, $4 }')"
same 'units of a process' "$first dead 7" "$("$TBUFCTL" --units="$first" |
    awk 'NR > 1 { print $1, $2, $4 }')"
same 'units for another user' 1 "$(as 1002 "$TBUFCTL" --units 2>/dev/null |
    wc -l)"

# $TBUF_DIR of another user, as of a service.
mkdir -m 700 service && chown 1003 service
setpriv --reuid 1003 --clear-groups env TBUF_DIR="$SCRATCH/service" \
    TBUF_OPTIONS=bufsize=64k,probes=count "$TBUF_TARGET" fire=4 &
pid=$!
wait "$pid"
same 'TBUF_DIR of another user' "$SCRATCH/service/ 1 2 3 4 " \
    "$(TBUF_DIR=$SCRATCH/service; export TBUF_DIR
    files; read_pid "$pid")"
chmod 770 service
same 'TBUF_DIR that others may write to' \
    'runtime directory has the wrong owner or mode: set TBUF_DIR to another' \
    "$(TBUF_DIR=$SCRATCH/service "$TBUFCTL" --left 2>&1 |
    sed -n 's/.*processes: //p')"

# ---------------------------------------------------------------- live ones

# stat: prints the pids of sessions, each once, and messages.
stat()
{
	"$TBUFCTL" --stat 2>&1 | awk '
	    $1 == "tbufctl:" || ($1 ~ /^[0-9]+$/ && !seen[$1]++) {
		print $1 == "tbufctl:" ? $0 : $1 }' | tr '\n' ' '
}

live setpriv --reuid 1001 --clear-groups env \
    TBUF_OPTIONS=nunits=4,bufsize=64k,probes=count "$TBUF_TARGET" fire=3 \
    say=here wait
same '--stat' "$pid " "$(stat)"
same '--stat of another user' '' "$(as 1002 "$TBUFCTL" --stat 2>/dev/null |
    awk '$1 ~ /^[0-9]+$/')"
same '--snapshot' 3 "$("$TBUFCTL" -q --snapshot 2>/dev/null |
    grep -c number=)"
same '--set of rules' '0 ' "$("$TBUFCTL" --set=unitselect=1:2 2>err
    echo $?) $(cat err)"
# Another user's file that names the process is not its file.
mine=$(echo /dev/shm/tbuf-1001/tbuf."$pid".*)
as 1012 mkdir -m 700 /dev/shm/tbuf-1012
forged=/dev/shm/tbuf-1012/${mine##*/}
cp "$mine" "$forged"
chown 1012 "$forged"
setpriv --reuid 1012 --clear-groups flock -F "$forged" sleep 60 &
holder=$!
while as 1012 flock -n "$forged" true; do
	:
done
same '--stat beside a forged file' "$pid " "$(stat)"
kill "$holder"
rm -rf /dev/shm/tbuf-1012
end
rm -f "$mine"

# texts UID: starts a program with messages in words.
texts()
{
	live setpriv --reuid "$1" --clear-groups "${TBUF_TARGET%/*}/texts" \
	    say=here wait info=told
}
texts 1001
mkdir -m 700 traces && chown 1001 traces
same '--set of all' '0 ' "$("$TBUFCTL" \
    --set="traceFacility=File;traceFilePath=$SCRATCH/traces/trace" 2>err
    echo $?) $(cat err)"
same 'a ticket of the user' "1001 600" \
    "$(command stat -c '%u %a' /dev/shm/tbuf-1001/path."$pid".*)"
end
same 'its message' 'words info: told' \
    "$(sed 's/.* words/words/' traces/trace)"
same 'the ticket is taken' '' "$(find /dev/shm/tbuf-1001 -name 'path.*')"

# ---------------------------------------------------------------- forgery

file=$(echo /dev/shm/tbuf-1001/tbuf."$first".*)
random=${file##*.}
# copy DIRECTORY UID: another user's copy of the file.
copy()
{
	cp "$file" "$1/tbuf.$first.$random"
	chown "$2" "$1/tbuf.$first.$random"
	chmod 600 "$1/tbuf.$first.$random"
}
# Names of others, with leading zeroes, a link, and a directory for all.
for name in tbuf-1004 tbuf-01002 tbuf-4294967296 tbuf-x tbuf-; do
	as 1002 mkdir -m 755 /dev/shm/$name
	copy /dev/shm/$name 1002
done
as 1005 mkdir -m 777 /dev/shm/tbuf-1005
chmod 777 /dev/shm/tbuf-1005
copy /dev/shm/tbuf-1005 1005
as 1006 ln -s tbuf-1001 /dev/shm/tbuf-1006
as 1007 touch /dev/shm/tbuf-1007
# Files of other users, links, FIFOs, directories.
as 1008 mkdir -m 700 /dev/shm/tbuf-1008
copy /dev/shm/tbuf-1008 1001
as 1009 mkdir -m 700 /dev/shm/tbuf-1009
as 1009 ln -s "$file" "/dev/shm/tbuf-1009/tbuf.$first.0000000000000001"
as 1009 mkfifo "/dev/shm/tbuf-1009/tbuf.$first.0000000000000002"
as 1009 mkdir "/dev/shm/tbuf-1009/tbuf.$first.0000000000000003"
as 1009 sh -c "echo no >/dev/shm/tbuf-1009/tbuf.$first.0000000000000004"
same 'forged directories and files' \
    ' /dev/shm/tbuf-1001/ /dev/shm/tbuf-1002/ ' "$(files)"
same 'a process beside them' '1 2 1 ' \
    "$(read_pid "$first" | sed 's/.*control file //')"
# A user's files with another's pid are told, and do not hide that one's.
copy /dev/shm/tbuf-1002 1002
same 'a pid of two users' 'several users have files of pid N: reading all 6' \
    "$(read_pid "$first" | grep -o 'several.*all') $("$TBUFCTL" -q \
    --read "$first" 2>/dev/null | grep -c number=)"
# Not while the process lives.
live setpriv --reuid 1001 --clear-groups sh -c 'echo here; read -r line'
mv "/dev/shm/tbuf-1002/tbuf.$first.$random" \
    "/dev/shm/tbuf-1002/tbuf.$pid.$random"
same 'a pid that is alive' 'failed to grab pid N: it has no libtbuf a recorder' \
    "$(read_pid "$pid" | sed 's/ makes .*//')"
end
rm -f "/dev/shm/tbuf-1002/tbuf.$pid.$random"
# More names than there is time for: others are still there.
as 1010 mkdir -m 700 /dev/shm/tbuf-1010
as 1010 sh -c 'cd /dev/shm/tbuf-1010 && seq -f "tbuf.1.%016.0f" 100000 199999 |
    xargs touch'
same 'beside many names' '/dev/shm/tbuf-1001/ /dev/shm/tbuf-1002/' \
    "$(files | grep -o '/dev/shm/tbuf-100[12]/' | tr '\n' ' ' | sed 's/ $//')"
same 'a process beside many names' '1 2 1 ' \
    "$(read_pid "$first" | sed 's/.*control file //')"
rm -rf /dev/shm/tbuf-1010
# Root's own directory may be taken before root has one.
mv /dev/shm/tbuf-0 saved
as 1002 mkdir -m 755 /dev/shm/tbuf-0
same 'a forged directory of root' 'failed to look for files of ended '\
'processes: runtime directory has the wrong owner or mode: set TBUF_DIR to another' \
    "$("$TBUFCTL" --left 2>&1 >/dev/null | sed 's/^tbufctl: //')"
same 'others beside it' '1 2 1 ' \
    "$(read_pid "$first" | sed 's/.*control file //')"
rm -rf /dev/shm/tbuf-0
mv saved /dev/shm/tbuf-0

# ---------------------------------------------------------------- containers

# contained COMMAND ...: runs a command in a container that has a /dev/shm.
contained()
{
	unshare -mpf --mount-proc sh -c 'mount -t tmpfs -o mode=1777 tmpfs \
/dev/shm && "$@"' sh "$@"
}
if contained true 2>/dev/null; then
	# shellcheck disable=SC2016
	live contained sh -c 'TBUF_OPTIONS=nunits=4,bufsize=64k,probes=count \
"$@" fire=5 kill=9 >/dev/null 2>&1
TBUF_OPTIONS=nunits=4,bufsize=64k,probes=count "$@" fire=3 unit=9 fire=1 \
say=here wait; :' sh "$TBUF_TARGET" 2>/dev/null
	# The target is the one whose program it is.
	inner=$(pidof -s "$TBUF_TARGET")
	same 'pids of a container' 2 \
	    "$(awk '/^NSpid/ { print NF - 1 }' "/proc/$inner/status")"
	same 'a process of a container' '1 2 3 1 ' "$(read_pid "$inner")"
	same 'units of a process of a container' "$inner alive 9" \
	    "$("$TBUFCTL" --units="$inner" |
	    awk 'NR > 1 { print $1, $2, $4 }')"
	same 'units of containers' 2 "$("$TBUFCTL" --units |
	    awk 'NR > 1' | wc -l)"
	same 'files of containers' '/proc/N/root/dev/shm/tbuf-0/' \
	    "$(files | grep -o '/proc/[^ ]*')"
	same 'removal of three, and of none in a container' \
	    '3 /proc/N/root/dev/shm/tbuf-0/' \
	    "$("$TBUFCTL" --left=remove 2>&1 |
	    sed -n 's/.*removed \([0-9]*\) .*/\1/p') $(files |
	    grep -o '/proc/[^ ]*')"
	end
	# Root in a user namespace is another user here.
	# shellcheck disable=SC2016
	userns='mount -t tmpfs tmpfs /dev/shm && "$@"; :'
	if as 1011 unshare -Urmpf sh -c "$userns" sh true 2>/dev/null; then
		live setpriv --reuid 1011 --clear-groups unshare -Urmpf \
		    sh -c "$userns" sh env TBUF_OPTIONS=bufsize=64k,probes=count \
		    "$TBUF_TARGET" fire=6 say=here wait
		inner=$(pidof -s "$TBUF_TARGET")
		same 'a process of a user namespace' '1 2 3 4 5 6 ' \
		    "$(read_pid "$inner")"
		kill -9 "$inner"
		exec 3>&- 4<&-
		wait "$pid"
	else
		echo 'no user namespace: skipped'
	fi
else
	"$TBUFCTL" -q --left=remove
	echo 'no pid namespace: containers skipped'
fi
same 'files after removal' '' "$(files)"
same 'a removed process' 'failed to grab pid N: No such process ' \
    "$(read_pid "$second")"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
