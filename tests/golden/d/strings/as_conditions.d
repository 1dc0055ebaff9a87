#pragma D option quiet

string s;

BEGIN
/s == NULL/
{
	printf("unset\n");
}

BEGIN
/s != ""/
{
	printf("not empty\n");
	exit(0);
}
