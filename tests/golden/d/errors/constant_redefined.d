inline int ENOENT = 2;

BEGIN
{
	exit(ENOENT);
}
