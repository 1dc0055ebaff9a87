struct a { int x; };

translator struct a { x = 1; };

BEGIN
{
	exit(0);
}
