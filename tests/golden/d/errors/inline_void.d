inline void a = 4;

BEGIN
{
	exit(0);
}
