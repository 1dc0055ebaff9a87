#pragma D option quiet

BEGIN
{
	@[strjoin("a", "b"), 1 + 1, 'x'] = sum(2 * 3);
	@["ab", 2, 'x'] = sum(1);
	printa("%s %d %c %@d\n", @);
	exit(0);
}
