#pragma D option quiet

int n;

tick-1ms
{
	n++;
	trace(n);
}

END
{
}
