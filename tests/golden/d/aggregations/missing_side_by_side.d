#pragma D option quiet

BEGIN
{
	@a[1] = count();
	@b[2] = sum(7);
	@c[1] = avg(4);
	@c[3] = avg(-5);
	printa("%d: %@d %@d %@d\n", @a, @b, @c);
	printa(@c, @a, @b);
	exit(0);
}
