# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# temporal CLAUSE OPTION...: a timer sets a variable, and CLAUSE at the next
# probe answers, before the timer can see that.  With `temporal` the records of
# both are in the order of their times.
temporal()
{
	clause=$1
	shift
	echo "\$ $*"
	"$TBUFCTL" -q -x temporal "$@" -c "$TBUF_TARGET go" -n '
	    int asked;
	    int n;
	    BEGIN { kept = speculation(); printf("begin\n"); }
	    count { this->now = asked; }
	    count /this->now/ { '"$clause"' }
	    count /this->now/ { asked = 0; }
	    tick-1ms { this->asks = !asked; }
	    tick-1ms /this->asks/ { speculate(kept); printf("kept %d\n", n); }
	    tick-1ms /this->asks/ { printf("ask %d\n", n); }
	    tick-1ms /this->asks && ++n == 4/ { commit(kept); }
	    tick-1ms /this->asks && n > 4/ { exit(0); }
	    tick-1ms /this->asks/ { asked = 1; }
	    END { printf("end\n"); }' 2>err
	echo "= $?"
	# The target ends by itself when its probe is not enabled.
	uniq err | sed '/left running$/d; s/enabled probe.*): .* in/ID in/' |
	    normal
}

# shellcheck disable=SC2016 # of D
for policy in switch ring; do
	temporal 'printf("answer\n");' -x bufpolicy=$policy
	temporal 'printf("answer\n");' -x bufpolicy=$policy \
	    -x switchrate=1ms
done
# Records of ERROR follow the fault.
temporal 'trace(*(int *)NULL); } ERROR { printf("error\n");' \
    -x switchrate=1ms
