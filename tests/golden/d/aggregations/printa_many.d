/* Side by side; what is missing is 0. */
#pragma D option quiet

BEGIN
{
	@a["x"] = count(); @a["x"] = count(); @a["y"] = count();
	@b["y"] = avg(7); @b["z"] = avg(3);
	@c["none"] = max(1);
	trunc(@c);
	exit(0);
}

END { printa(@a, @b); }
END { printa("%-5s %@3d %@3d\n", @a, @b); }
END { printa("%s %@d %@d %@d %@d\n", @b, @a, @b); }
END { setopt("aggsortpos", "1"); printa(@a, @b); }
END { printa(@a, @c); }
