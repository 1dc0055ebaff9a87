#pragma D option quiet

BEGIN
{
	setopt("bufsize", "1m");
	setopt("nonsense");
	setopt("quiet", "perhaps");
	exit(0);
}
