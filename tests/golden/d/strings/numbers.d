#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", strtoll("42"), strtoll("-42"), strtoll("0x1f", 16));
	printf("%d\n", strtoll("101", 2));
	printf("%s %s %s\n", lltostr(42), lltostr(-42), lltostr(255, 16));
	exit(0);
}
