char to[8];

BEGIN
{
	from = (char *)alloca(8);
	bcopy(from, to, 8);
	exit(0);
}
