#pragma D option quiet

int zero;

BEGIN
{
	trace(1 / zero);
}

ERROR
{
	printf("%s %s %d\n", probename, probeprov, id);
	exit(0);
}
