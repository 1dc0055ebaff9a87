#pragma D option quiet

BEGIN
{
	printf("[%s]", substr("abc", 3));
	printf("[%s]", substr("abc", 5, 2));
	printf("[%s]", substr("abc", -5));
	printf("[%s]", substr("abc", 1, -1));
	printf("[%s]", substr("abc", -2));
	printf("[%s]\n", substr("abc", 0, 100));
	exit(0);
}
