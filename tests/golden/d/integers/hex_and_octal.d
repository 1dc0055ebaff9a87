#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", 0xFf, 0Xa, 0777, 0);
	printf("%d %d\n", 0x7fffffff, 0x80000000);
	printf("%d\n", 2147483648);
	exit(0);
}
