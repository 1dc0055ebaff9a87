/* Conversions of keys and values; fewer than there are keys are fine. */
#pragma D option quiet

BEGIN
{
	@[1, "text", (char)'c'] = sum(255);
	@wide[10, -5] = min(-9);
	@empty[1] = count();
	@average = avg(-7);
	exit(0);
}

END { printa("%d %s %c %@d\n", @); }
END { printa("%5d|%-6s|%c|%@8x|%%\n", @); }
END { printa("%@d\n", @); }
END { printa("%*d|%@5d|\n", @wide); }
END { printa("%d %d %@u %@x\n", @wide); }
END { printa("%@d %@d\n", @average); }
END { trunc(@empty); printa("never %d\n", @empty); printa(@empty); }
