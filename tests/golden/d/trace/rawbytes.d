#pragma D option quiet

#pragma D option rawbytes

BEGIN
{
	trace("ab");
	trace(1);
	exit(0);
}
