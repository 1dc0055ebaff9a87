#pragma D option quiet

BEGIN
{
	@[(char)1, (short)2, 3, 4LL, "five"] = count();
	exit(0);
}
