#pragma D option quiet

int n;

tick-1000
{
	n++;
	if (n == 1)
		printf("first\n");
	else if (n == 2) {
		printf("second\n");
	} else
		exit(n);
}
