/* At the end what was never printed, in the order of the source. */
#pragma D option quiet

BEGIN
{
	@later = count();
	@printed = count();
	@never[1] = count();
	@formatted = count();
	printa(@printed);
	printa("%@d\n", @formatted);
	exit(0);
}
