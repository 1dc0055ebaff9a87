#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", (char)-1, (short)-2, (int)-3, (long)-4);
	printf("%d %d %d %d\n", (unsigned char)-1, (unsigned short)-2,
	    (unsigned int)-3, (unsigned long)-4);
	printf("%u %u %u\n", (char)-1, (short)-1, -1);
	printf("%x %x %x %x\n", (char)-1, (short)-1, -1, (long)-1);
	printf("%X %o %i\n", 48879, 8, -8);
	exit(0);
}
