#pragma D option quiet

BEGIN
{
	printf("%d %hd %d %ld %lld\n", (char)-1, (short)-2, -3, (long)-4,
	    (long long)-5);
	printf("%u %u %lu\n", (uint8_t)200, (uint16_t)60000, (uint64_t)-1);
	printf("%i %i\n", 7, -7);
	exit(0);
}
