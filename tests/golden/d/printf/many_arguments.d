#pragma D option quiet

BEGIN
{
	printf("%d %s %c %x %p %d %d %d\n", 1, "two", '3', 4, (void *)5, 6LL,
	    (char)7, (short)8);
	exit(0);
}
