#pragma D option quiet

string s;

BEGIN
{
	printf("%s\n", s);
}

BEGIN
{
	trace(s);
}

BEGIN
{
	trace(s[1]);
}

BEGIN
{
	exit(0);
}
