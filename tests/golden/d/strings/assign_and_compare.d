#pragma D option quiet

string s;

BEGIN
{
	s = "hello";
	printf("%s %d %d\n", s, s == "hello", s == "world");
	printf("%d %d %d %d\n", "a" < "b", "b" < "a", "a" <= "a", "b" >= "a");
	printf("%d %d\n", "abc" != "abd", "ab" < "abc");
	exit(0);
}
