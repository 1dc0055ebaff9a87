#pragma D option quiet

BEGIN
{
	printf("%Y\n", (uint64_t)1000000000000000000);
	printf("%T\n", (uint64_t)1000000000000000000);
	printf("[%25Y] [%-25Y]\n", (int64_t)0, (int64_t)0);
	exit(0);
}
