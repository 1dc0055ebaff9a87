#pragma D option quiet

BEGIN
{
	@["abc", 'a', (char)66, 4096UL, (short)-3] = count();
	printa("%s %c %c %x %d %@u\n", @);
	printa("%-6s|%5d|%3c|%lu|%6d|%@05d\n", @);
	@w[5, "x"] = count();
	printa("[%*s] %@d\n", @w);
	exit(0);
}
