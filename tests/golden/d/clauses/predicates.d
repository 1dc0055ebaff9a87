#pragma D option quiet

BEGIN
/1 == 2/
{
	printf("no\n");
}

BEGIN
/1/
{
	printf("yes\n");
}

BEGIN
/x/
{
	printf("no\n");
}

BEGIN
/!x/
{
	x = 1;
	printf("then\n");
	exit(0);
}
int x;
