#pragma D option quiet

/* A colon in front of all fields stands between none. */
:dtrace:::BEGIN
{
	printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename);
	exit(0);
}
