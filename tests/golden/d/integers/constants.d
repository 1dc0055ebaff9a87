#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", 0x1F, 017, 10);
	printf("%d %d %d %d\n", sizeof (1), sizeof (1L), sizeof (1LL),
	    sizeof (3000000000));
	printf("%d %d\n", 'a', 'ab');
	printf("%d %d %d %d\n", '\n', '\0', '\x41', '\101');
	exit(0);
}
