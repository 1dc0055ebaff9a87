#pragma D option quiet
#pragma D option defaultargs

BEGIN
/$$1 == ""/
{
	printf("USAGE: %s name\n", "script");
	exit(1);
}

BEGIN
{
	printf("tracing %s\n", $$1);
	exit(0);
}
