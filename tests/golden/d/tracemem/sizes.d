#pragma D option quiet

char a[20];

BEGIN
{
	a[0] = 'a';
	a[17] = 'r';
	tracemem(a, 20);
	tracemem(a, 3);
	exit(0);
}
