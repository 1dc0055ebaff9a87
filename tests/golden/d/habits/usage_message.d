#pragma D option quiet

#pragma D option defaultargs

BEGIN
/$$1 == ""/
{
	printf("usage: %s name\n", $$0);
	exit(1);
}

BEGIN
{
	printf("not reached\n");
}
