#pragma D option quiet

enum colour { RED, GREEN = 7 };

BEGIN
{
	printf("%d %d %x\n", RED, GREEN, GREEN);
	exit(0);
}
