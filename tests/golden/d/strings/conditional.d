#pragma D option quiet

BEGIN
{
	x = 1;
	printf("%s %s\n", x ? "one" : "other", !x ? "one" : "other");
	exit(0);
}
