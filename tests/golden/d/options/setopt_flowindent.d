BEGIN
{
	setopt("flowindent");
	exit(0);
}

END
{
	trace(1);
}
