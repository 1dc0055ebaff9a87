# SPDX-License-Identifier: BSD-2-Clause
#
# Clauses over recorded data: each record fires its probe again.
. "$HERE/common_real"

# record OPTIONS ORDER ...: runs a target that records itself and ends.
record()
{
	options=$1
	shift
	TBUF_OPTIONS=$options "$TBUF_TARGET" "$@" >/dev/null 2>&1 </dev/null
}

# read_all ARGUMENT ...: reads all files in the runtime directory.
read_all()
{
	set -- "$@" $(for file in "$TBUF_DIR"/tbuf.*; do
		echo --read "$file"
	done)
	"$TBUFCTL" "$@" 2>&1
	echo "= $?"
}

show()
{
	read_all "$@" | normal | sed -E \
	    -e 's/^ +[0-9]+ +[0-9]+ +:([A-Z])/CPU ID :\1/' \
	    -e 's/ at DIF offset [0-9]+$//'
}

clean()
{
	rm -f "$TBUF_DIR"/tbuf.*
}

# The output is the same twice: no record is removed from the file.
record 'bufsize=64k,probes=count' fire=10 exit=3
for time in 1 2; do
	show -n 'BEGIN { printf("begins"); }
	    count /number > 7/ { printf("%d %s", number, text); }
	    count { @[text] = sum(number); @q = quantize(number); }
	    END { printf("ends"); printa(@q); }'
done

# A record has more values than its arguments.
show -q -n 'count /number == 1/ { printf("%s %s %s:%s:%s:%s %s\n", execname,
    pid == $1 ? "pid" : "?", probeprov, probemod, probefunc, probename,
    tid == pid ? "tid" : "?"); this->t = timestamp; last = this->t;
    day = walltimestamp / 86400000000000; }
    count /number > 1 && timestamp > last/ { later++; last = timestamp; }
    END { printf("%d later, %s\n", later, day > 20000 ? "today" : "?"); }' \
    "$(cd "$TBUF_DIR" && ls | cut -d. -f2)"
show --with=tid -n 'count /number <= 2/ { trace(number); }'
show --format=json -n 'count /number == 2/ { trace(number); trace(text); }' |
    tail -n 3

# exit() ends the reading, END fires; a fault is reported, and fires ERROR.
show -q -n 'count { @ = count(); } count /number == 4/ { exit(7); }
    END { printa("%@d\n", @); }'
show -n 'count /number == 2/ { trace(10 / (number - 2)); }
    ERROR { printf("fault %d", arg4); }'

# A clause runs beside a description without one, and own probes run alone.
show -n 'count' -n 'count /number == 10/ { trace("the last"); }' | tail -n 4
show -q -n 'BEGIN { trace(1); }'

# Speculations are committed and discarded by later records.
show -q -n 'count { self->s = speculation(); speculate(self->s);
    printf("%d\n", number); } count /number % 4 == 0/ { commit(self->s); }
    count /number % 4 != 0/ { discard(self->s); }'

# The text that strtok() continues belongs to one fire.
show -q -n 'count /number == 1/ { trace(strtok("a b", " ")); }
    count /number < 3/ { trace(strtok(NULL, " ")); }'

# Values that no record has are refused by name.
for what in 'ustack()' 'trace(errno)' 'trace(vtimestamp)' 'trace(ppid)' \
    'printf("%s", curpsinfo->pr_psargs)' \
    'usym(number)' 'trace(uregs[0])' 'trace(progenyof(1))'; do
	show -n "count { $what; }"
done
show -w -n 'count { raise(9); }'
show -n 'profile-1s { trace(1); }'
show -n 'count { trace(nosuch); }'
show -n 'nosuch { trace(1); }'
show -Z -n 'nosuch { trace(1); }'
clean

# Timers fire by the records' times, and BEGIN and END have such times: 50 ms
# without a record are many ticks.
export TBUF_OPTIONS='bufsize=64k,probes=count'
start 3 4 fire=1 say=fired wait fire=1
unset TBUF_OPTIONS
tell 3
hear 4 fired
sleep 0.05
tell 3
wait $target
rm in3 out4
show -q -n 'BEGIN { start = timestamp; ahead = walltimestamp - timestamp;
    bad = n = 0; }
    count { bad += (timestamp - start) / 1000000 != n;
    bad += walltimestamp - timestamp != ahead; last = timestamp; self->a++; }
    tick-1ms { n++; bad += timestamp != start + n * 1000000;
    bad += walltimestamp - timestamp != ahead; bad += self->a != 0; }
    END { printf("%d bad, %s ticks, the end is %s\n", bad,
    n >= 40 ? "many" : "few", timestamp == last ? "the last" : "?"); }'
show -q -n 'count { @ = count(); } tick-10ms { printa("%@d\n", @); clear(@); }
    END { printa("%@d\n", @); }' | uniq
show -q -n 'count /number == 1/ { n++; printf("record %d\n", n); }
    tick-5ms { printf("tick\n"); }' | uniq
show -q -n 'count { @ = count(); } tick-5ms { exit(3); }
    END { printa("%@d\n", @); }'
show -q -n 'count { n++; } BEGIN { exit(4); } END { trace(n); }'
clean

# Arguments have all types.
record 'bufsize=64k,probes=tt:::' types
show -q -n 'integers { printf("%d %d %d %d %d %d %d %u %d\n", i8, i16, i32, i64,
    u8, u16, u32, u64, letter); }
    other-types { printf("%d %d %.3f %g %x\n", yes, no, third, big, pointer); }
    strings { printf("%s|%d\n", array, none == NULL); }
    strings { @[array, strlen(array)] = count(); }
    other-types { trace(third); trace(big); }'
show -n 'no_arguments { trace("fired"); }'
show -q -n 'no_arguments { @[caller, stackdepth] = count(); }'
# A clause fits some of the probes that it matches.
show -q -n 'tt:::{ @[array] = count(); }' | first_probe
clean

# Threads of several images have variables of their own, and a fire that several
# enablings have recorded fires once.
record 'follow,bufsize=64k,probes=count;tt:::count;co*' fork=3 fire=4
show -q -n 'self int sum[string];
    count { self->n++; self->sum[text] += number; }
    count /self->n == 3/ { printf("third: %d\n", self->sum[text]); }
    count { @ = count(); }'
clean

# Records of a work unit are included.
record 'nunits=2,bufsize=64k,probes=count' unit=1 fire=2 end=3 unit=2 fire=1
show -q -n 'count { printf("%d of %s\n", number, execname); }'
clean

# Records of a script have no arguments.
start 3 4 enabled fire=2 say=fired wait
"$TBUFCTL" -q -x bufpolicy=ring -n 'count { trace(number); }' -p $target &
ctl=$!
tell 3
hear 4 fired
kill -KILL $ctl
wait $ctl 2>/dev/null
show -q -n 'count { @ = count(); }'
kill -KILL $target
wait $target 2>/dev/null
clean
