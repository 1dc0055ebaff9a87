#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s\n", lltostr(-42), lltostr(255, 16), lltostr(8, 8),
	    lltostr(5, 2));
	printf("%d %d %d %d\n", strtoll("12abc"), strtoll("-0x10", 16),
	    strtoll("  7"), strtoll("zz", 36));
	exit(0);
}
