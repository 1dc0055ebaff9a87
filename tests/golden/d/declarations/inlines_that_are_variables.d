#pragma D option quiet

/* An inline that stands for a variable is one. */
int y;
inline int a = y;

BEGIN
{
	a = 5;
	a++;
	printf("%d %d\n", a, y);
	exit(0);
}
