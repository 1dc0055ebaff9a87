/* The largest, the smallest, none. */
#pragma D option quiet

BEGIN
{
	@[1] = sum(1); @[2] = sum(2); @[3] = sum(3); @[4] = sum(4);
	@[5] = sum(5); @[6] = sum(5);
	@all[1] = count();
	trunc(@all);
	trunc(@, 4); printa(@);
	trunc(@, -2); printa(@);
	trunc(@); printa(@);
	exit(0);
}
