int strlen;

BEGIN
{
	exit(0);
}
