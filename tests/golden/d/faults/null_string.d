#pragma D option quiet

string s;

BEGIN
{
	printf("%d\n", strlen(s));
}

BEGIN
{
	exit(0);
}
