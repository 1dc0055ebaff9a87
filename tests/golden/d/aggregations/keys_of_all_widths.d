#pragma D option quiet

BEGIN
{
	@[(char)-1, (short)-2, (int)-3, (long)-4] = count();
	@[(char)1, (short)2, 3, 4L] = count();
	printa("%d %d %d %d %@d\n", @);
	printa(@);
	exit(0);
}
