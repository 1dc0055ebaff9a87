#pragma D option quiet

int n;

tick-1ms
/n > 2 ? 1 : 0/
{
	printf("%d\n", n);
	exit(0);
}

tick-1ms
{
	n++;
}
