#pragma D option quiet

BEGIN
/1 / x/
{
	printf("no\n");
}

BEGIN
{
	exit(0);
}
int x;
