#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", (char)300, (unsigned char)300, (short)70000);
	printf("%d %d\n", (int)(char)255, (unsigned char)-1);
	printf("%x\n", (uint64_t)(int)-1);
	printf("%x\n", (uint64_t)(unsigned int)-1);
	exit(0);
}
