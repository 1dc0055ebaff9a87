#pragma D option quiet

BEGIN
{
	a = 1;
	b = 0;
	if (a) {
		if (b)
			printf("both\n");
		else
			printf("a\n");
		printf("inner\n");
	}
	printf("outer\n");
	exit(0);
}
