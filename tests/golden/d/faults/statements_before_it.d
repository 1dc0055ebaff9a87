#pragma D option quiet

int zero;

BEGIN
{
	printf("lost with the clause\n");
	a = 5;
	b = 1 / zero;
}

BEGIN
{
	printf("%d\n", a);
	exit(0);
}
