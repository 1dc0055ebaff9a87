#pragma D option quiet

BEGIN
{
	setopt("switchrate", "10ms");
	setopt("aggrate", "10ms");
	setopt("switchrate", "nonsense");
	exit(0);
}
