/* Keys by size: those of 1 and 2 bytes are unsigned, and so is the order. */
#pragma D option quiet
#pragma D option aggsortkey

BEGIN
{
	@c[(char)-2] = sum(-2); @c[(char)1] = sum(1);
	@s[(short)-2] = sum(-2); @s[(short)1] = sum(1);
	@i[-2] = sum(-2); @i[1] = sum(1);
	@l[-2LL] = sum(-2); @l[1LL] = sum(1);
	@t["b", 1] = count(); @t["a", 2] = count(); @t["a", 1] = count();
	exit(0);
}
