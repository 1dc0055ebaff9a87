#pragma D option quiet

BEGIN
{
	trace(1 + 2 * 3);
	trace(" ");
	trace(1 ? "yes" : "no");
	trace(" ");
	trace(sizeof (int));
	exit(0);
}
