#pragma D option quiet

BEGIN
{
	trace(1);
	trace("two");
	trace((char)3);
	trace((uint64_t)4);
	exit(0);
}
