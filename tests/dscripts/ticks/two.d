#pragma D option quiet

int a;
int b;

tick-2ms { a++; }
tick-7ms { b++; }

tick-2ms
/b == 2/
{
	printf("%d\n", a >= 5);
	exit(0);
}
