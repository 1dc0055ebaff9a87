/* A histogram begins on a line of its own, wherever it stands. */
#pragma D option quiet

BEGIN
{
	@["k"] = quantize(5);
	printa("<%s>%@d</>\n", @);
	exit(0);
}
