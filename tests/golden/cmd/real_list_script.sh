# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# -l with programs lists the probes of each clause, in their order.
ctl -l -n 'BEGIN,tick-1s'
ctl -l -n 'tick-5,profile-97'
ctl -l -P dtrace
ctl -l -P profile
ctl -l -n 'tick-1*,profile:::profile-99*'
ctl -l -n 'tick-5* { trace(1); }'
# Probes that always exist and are not timers are listed once.
ctl -l -n '*E*'
ctl -l -n 'tick-1'
ctl -l --format=json -n END
cat >script.d <<'EOF'
BEGIN, profile-10ms { n = 0; }
tick-1s { trace(n); }
profile-10ms { n++; }
no:such:probe:here { trace(n); }
END { exit(0); }
EOF
ctl -l -s script.d
ctl -l -n 'BEGIN { trace(x); }'
start 3 4
"$TBUFCTL" -l -n 'BEGIN, count { trace(1); }' -p $target |
    sed -E 's/^ *[0-9]+ /ID /'
tell 3
wait
