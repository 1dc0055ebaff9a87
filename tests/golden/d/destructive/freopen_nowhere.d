#pragma D option quiet

BEGIN
{
	freopen("/nowhere/at/all");
	printf("still here\n");
	exit(0);
}
