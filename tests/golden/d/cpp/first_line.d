#!/usr/sbin/dtrace -Cs
#pragma D option quiet
#define N 3
BEGIN
{
	printf("%d\n", N);
	exit(0);
}
