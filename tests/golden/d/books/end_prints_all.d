#pragma D option quiet


BEGIN { @a["k"] = count(); @b = sum(7); }
tick-1ms { exit(0); }
END
{
	printf("== counts\n");
	printa("%s %@d\n", @a);
	printf("== total\n");
	printa("%@d\n", @b);
}
