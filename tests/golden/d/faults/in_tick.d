#pragma D option quiet

int zero;
int n;

tick-1ms
/n++ < 2/
{
	trace(1 / zero);
}

tick-1ms
/n > 3/
{
	exit(0);
}
