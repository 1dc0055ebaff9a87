#pragma D option quiet

BEGIN
{
	raise(0);
	printf("alive\n");
	exit(0);
}
