#pragma D option quiet

string s;

BEGIN
{
	printf("%d %d %d\n", s == NULL, s == "", s < "");
	s = "";
	printf("%d %d\n", s == NULL, s == "");
	exit(0);
}
