/* setopt() has its effect on what is printed after it. */
#pragma D option quiet

BEGIN
{
	@[1, "b"] = sum(2); @[2, "a"] = sum(1); @[3, "c"] = sum(2);
	exit(0);
}

END { printa(@); }
END { setopt("aggsortrev"); printa(@); }
END { setopt("aggsortkey"); printa(@); }
END { setopt("aggsortrev", "no"); setopt("aggsortkeypos", "1"); printa(@); }
