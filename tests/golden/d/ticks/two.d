#pragma D option quiet

int a;
int b;

/* What is late by a hundred of its periods is not made up for. */
tick-20ms { a++; }
tick-70ms { b++; }

tick-20ms
/b >= 2/
{
	printf("%d\n", a >= 5);
	exit(0);
}
