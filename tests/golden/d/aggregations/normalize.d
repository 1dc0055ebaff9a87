/* Values stay what they are: only what is shown is divided. */
#pragma D option quiet

BEGIN
{
	@[1] = sum(1000); @[2] = sum(3999);
	@q = quantize(100, 1000);
	@a = avg(1000); @a = avg(2001);
	normalize(@, 1000); normalize(@q, 10); normalize(@a, 10);
	printa(@); printa(@q); printa(@a);
	normalize(@, 10); printa(@);
	denormalize(@); denormalize(@a); printa(@); printa(@a);
	exit(0);
}
