#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", index("abcabc", "b", -5),
	    index("abcabc", "b", 2), index("abcabc", "b", 10),
	    index("abc", "", 10));
	printf("%d %d %d %d\n", rindex("abcabc", "b"),
	    rindex("abcabc", "b", 3), rindex("abcabc", "b", 0),
	    rindex("abcabc", "b", -1));
	exit(0);
}
