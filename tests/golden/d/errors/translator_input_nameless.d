struct a { int x; };

translator struct a < int > { x = 1; };

BEGIN
{
	exit(0);
}
