#pragma D option quiet

BEGIN
{
	printf("%d %s %s\n", $1, $$2, $$1);
	exit(0);
}
