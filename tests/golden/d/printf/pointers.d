#pragma D option quiet

BEGIN
{
	printf("%p %p %p\n", (void *)0xbeef, 255, (char *)0);
	printf("[%8p] [%#p] [%?x]\n", (void *)0xab, (void *)0xab, 0xab);
	printf("%a %A\n", 0, 0);
	exit(0);
}
