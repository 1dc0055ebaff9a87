#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d %d\n", 010, 0x1F, 10u, 10ULL, 'ab');
	printf("%d %d %d %d\n", sizeof (1), sizeof (1L), sizeof (0x7fffffff),
	    sizeof (0x80000000));
	printf("%d %d\n", 4294967296, sizeof (4294967296));
	exit(0);
}
