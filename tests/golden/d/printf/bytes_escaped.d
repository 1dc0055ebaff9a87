#pragma D option quiet

BEGIN
{
	printf("%S|%C|%C|%C|%C|\n", "a\tb\n\"\\\351", '\n', 'a', 0, 200);
	printf("%c%c|%5c|%-5c|\n", 0x4300 | 'c', 98, 'd', 'e');
	exit(0);
}
