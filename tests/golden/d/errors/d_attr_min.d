#pragma D option quiet
#pragma D option amin=Evolving/Evolving/Common

BEGIN
{
	trace(1);
	exit(0);
}

ERROR
{
	exit(0);
}
