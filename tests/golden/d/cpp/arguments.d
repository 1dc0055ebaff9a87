#pragma D option quiet

BEGIN
{
	printf("%d %d\n", ONE, TWO);
	exit(0);
}
