#pragma D option quiet

BEGIN
{
	printf("%d%d%d%d%d%d\n", "a" < "b", "a" <= "a", "b" > "ab",
	    "" < "a", "a" == "a", "a" != "A");
	s = "abc";
	printf("%d%d\n", s == "abc", s > "abd");
	exit(0);
}
