#pragma D option bufresize=manual
#pragma D option specsize=500t

BEGIN
{
	speculate(speculation());
	trace(1);
}

tick-1ms
{
	exit(0);
}
