#pragma D option quiet

BEGIN
{
	printf("%c%c%c\n", 'a', 98, (char)'c');
	printf("[%3c] [%-3c]\n", 'x', 'y');
	exit(0);
}
