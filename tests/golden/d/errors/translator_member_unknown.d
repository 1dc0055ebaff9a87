struct a { int x; };

translator struct a < struct a *p > { x = p->q; };

BEGIN
{
	exit(0);
}
