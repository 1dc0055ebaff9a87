#pragma D option quiet

BEGIN
{
	printf("%d [%s]\n", sizeof (string), "1234567");
	exit(0);
}
