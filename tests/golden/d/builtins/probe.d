#pragma D option quiet

BEGIN
{
	printf("[%s][%s][%s][%s] %d %d\n", probeprov, probemod, probefunc,
	    probename, id, epid);
}

tick-1ms
{
	printf("[%s][%s][%s][%s] %d %d\n", probeprov, probemod, probefunc,
	    probename, id, epid);
	exit(0);
}
