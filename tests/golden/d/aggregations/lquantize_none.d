/* All counts are 0: the first three. */
#pragma D option quiet

BEGIN
{
	@ = lquantize(3, 0, 100, 10, 1);
	@ = lquantize(3, 0, 100, 10, -1);
	exit(0);
}
