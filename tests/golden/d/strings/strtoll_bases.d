#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", strtoll("  12x"), strtoll("077", 8),
	    strtoll("z", 36), strtoll("none"));
}

BEGIN
{
	trace(strtoll("1", 1));
}

BEGIN
{
	exit(0);
}
