#pragma D option quiet

BEGIN
{
	printf("%d %u %x\n", (char)-1, (char)-1, (char)-1);
	printf("%d %u %x\n", (uint8_t)255, (uint8_t)255, (uint8_t)255);
	printf("%d %u %x %o\n", (short)-1, (short)-1, (short)-1, (short)-1);
	printf("%d %u %x\n", -1, -1, -1);
	printf("%d %u %x\n", -1L, -1L, -1L);
	printf("%lx %llx %lu %hx\n", 10L, 10LL, 10UL, (short)10);
	exit(0);
}
