#pragma D option quiet

#define TWICE(n)	((n) * 2)
#ifdef LIMIT
BEGIN
{
	printf("%d %s\n", TWICE(LIMIT), NAME);
	exit(0);
}
#endif
