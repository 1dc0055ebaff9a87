#pragma D option quiet

int n;

tick-1ms
{
	if (n == 0)
		printf("zero\n");
	else if (n == 1)
		printf("one\n");
	else {
		printf("many\n");
		exit(0);
	}
	n++;
}
