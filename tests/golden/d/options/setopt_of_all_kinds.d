BEGIN
{
	setopt("quiet", "1");
	setopt("strsize", "5");
	setopt("nosuch");
	setopt("switchrate", "bad");
	exit(0);
}
