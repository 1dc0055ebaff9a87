#pragma D option quiet

BEGIN
{
	printf("%d %d\n", sizeof (1u), sizeof (1ul));
	printf("%d\n", -1u);
	printf("%d\n", 0xffffffff);
	printf("%d\n", 0xffffffffffffffff);
	exit(0);
}
