#pragma D option quiet

/* Of a second 500 ms can be had, by all calls together. */
ERROR
{
	printf("fault %d\n", arg4);
}

BEGIN
{
	chill(500000001);
	printf("not this\n");
}

BEGIN
{
	chill(1000000);
	printf("chilled\n");
	chill(499500000);
	printf("nor this\n");
}

BEGIN
{
	chill(0);
	printf("the end\n");
	exit(0);
}
