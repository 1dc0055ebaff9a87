#pragma D option quiet

BEGIN
{
	setopt("rawbytes");
	trace("ab");
	exit(0);
}
