#!/usr/sbin/dtrace -s

#pragma D option quiet

int i;

BEGIN
{
	i = 3;
}

profile:::tick-1ms
/i > 0/
{
	trace(i--);
}

profile:::tick-1ms
/i == 0/
{
	trace("blastoff!");
	exit(0);
}
