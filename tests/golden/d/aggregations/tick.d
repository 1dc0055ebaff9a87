/* What a tick has aggregated, and is cleared between. */
#pragma D option quiet

BEGIN { n = 0; }

tick-1ms
{
	@[n % 2] = count();
	n++;
}

tick-1ms
/n == 4/
{
	printa(@);
	clear(@);
	@max[7] = max(n);
	exit(0);
}
