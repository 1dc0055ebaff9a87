#pragma D option quiet

/* Those of the compiler are not illegal: they are right or wrong. */
BEGIN
{
	setopt("amin", "Private/Private/Unknown");
	setopt("cppargs", "-v");
	setopt("define", "X");
	setopt("disasm", "3");
	setopt("droptags");
	setopt("iregs", "8");
	setopt("modpath", "/nowhere");
	setopt("tregs", "1");
	setopt("version", "1.0");
	@[1, 2, 3] = count();
}

BEGIN
{
	setopt("amin", "Soon");
	setopt("zdefs");
	setopt("cpp", "on");
	setopt("errtags", "");
	setopt("iregs", "9");
	setopt("stdc");
	setopt("tregs", "0");
	setopt("version", "first");
	setopt("version", "9.9");
	setopt("aggpercpu");
	setopt("strsize", "5");
	exit(0);
}
