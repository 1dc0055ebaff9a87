#pragma D option quiet

/* Keys of each width and sign, an expression and a condition. */
BEGIN
{
	@[(char)-1, (unsigned char)255, (short)-2, (unsigned short)65535] =
	    count();
	@w[-3, 3, -4LL, 18446744073709551615ull] = sum(-5);
	@e["a" < "b" ? "less" : "more", 1 + 2 * 3] = max(-9);
	exit(0);
}
