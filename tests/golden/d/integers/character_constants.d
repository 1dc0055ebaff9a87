#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 'abcd', sizeof ('abcd'));
	printf("%x %d\n", 'abcdefgh', sizeof ('abcdefgh'));
	printf("%d %d %d\n", '\a', '\v', '\f');
	printf("%d\n", '\'' == 39);
	exit(0);
}
