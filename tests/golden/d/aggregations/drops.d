/* 24 bytes for an int and its count: there is room for two. */
#pragma D option quiet
#pragma D option aggsize=64

BEGIN
{
	@[1] = count(); @[2] = count(); @[3] = count(); @[4] = count();
	@[1] = count();
	printf("the clause goes on\n");
	exit(0);
}
