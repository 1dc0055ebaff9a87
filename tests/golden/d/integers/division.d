#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", 7 / 2, -7 / 2, 7 % 3, -7 % 3);
	printf("%d %d\n", (unsigned int)-1 / 2, (unsigned int)-1 % 10);
	exit(0);
}
