#!/usr/sbin/dtrace -s
#pragma D option quiet

BEGIN
{
	printf("a script\n");
	exit(0);
}
