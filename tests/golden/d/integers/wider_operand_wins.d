#pragma D option quiet

BEGIN
{
	printf("%d\n", (char)-1 + 1);
	printf("%d\n", (unsigned int)1 - 2);
	printf("%d\n", (uint64_t)1 - (uint64_t)2);
	printf("%d\n", -1 < (unsigned int)1);
	printf("%d\n", (long)-1 < (unsigned int)1);
	exit(0);
}
