#pragma D option quiet

enum { ONE = 1, TWO };

BEGIN
{
	printf("%d %d %d\n", ONE + TWO, ONE << TWO, sizeof(ONE));
	printf("%d\n", 1 ? 0 ? 1 : 2 : 3);
	printf("%d %d\n", 'a' == 97, 'ab');
	exit(0);
}
