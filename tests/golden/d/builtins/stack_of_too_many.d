/* More frames than there can be are asked for: there are 1000 at most. */
#pragma D option quiet
#pragma D option ustackframes=5000

BEGIN
{
	ustack(10000);
	jstack(1001);
	stack(2000);
	ustack();
	trace("compiled");
	exit(0);
}
