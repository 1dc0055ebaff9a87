#pragma D option quiet

BEGIN
{
	printf("%hd %hu %hx\n", (short)-1, (unsigned short)65535, (short)-1);
	printf("%ld %lu %lx\n", (long)-1, (unsigned long)1, (long)255);
	printf("%lld %llu %llx\n", (long long)-1, (unsigned long long)1,
	    (int64_t)255);
	exit(0);
}
