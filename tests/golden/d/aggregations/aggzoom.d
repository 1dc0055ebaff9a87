#pragma D option quiet
#pragma D option aggzoom

BEGIN
{
	@ = lquantize(1, 0, 4, 1, 4); @ = lquantize(2, 0, 4, 1, 2);
	exit(0);
}
