#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", index("hello", "l"), index("hello", "l", 3),
	    index("hello", "z"));
	printf("%d %d\n", rindex("hello", "l"), rindex("hello", "l", 2));
	printf("%d %d\n", index("hello", ""), index("hello", "", 3));
	exit(0);
}
