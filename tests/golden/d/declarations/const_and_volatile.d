#pragma D option quiet

const int a;
volatile int b;

BEGIN
{
	b = 3;
	printf("%d %d\n", a, b);
	exit(0);
}
