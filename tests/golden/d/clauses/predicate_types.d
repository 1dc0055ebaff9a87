#pragma D option quiet

int *p;

BEGIN
/p/
{
	printf("no\n");
}

BEGIN
/p == NULL && "a" == "a"/
{
	printf("yes\n");
	exit(0);
}
