#pragma D option quiet

char x[9];

BEGIN
{
	x[0] = 'a';
	x[7] = 'h';
	y = 3;
	tracemem(x, 9, 4);
	tracemem(x, 9, 40);
	tracemem(x, 9, -4);
	tracemem(x, 9, y);
	tracemem(x, 4, 0);
	exit(0);
}
