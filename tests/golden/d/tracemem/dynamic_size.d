#pragma D option quiet

char a[4];

BEGIN
{
	a[0] = 'a';
	a[3] = 'd';
	n = 2;
	tracemem(a, 4, n);
	tracemem(a, 4, n + 5);
	exit(0);
}
