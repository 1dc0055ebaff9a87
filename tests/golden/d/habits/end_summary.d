#pragma D option quiet

int total;

tick-1ms
{
	total++;
}

tick-1ms
/total >= 5/
{
	exit(0);
}

dtrace:::END
{
	printf("%s: %d\n", "total", total);
}
