/* Magnitudes of ten from 10 to 1000, ten steps each. */
#pragma D option quiet

BEGIN
{
	@ = llquantize(5, 10, 1, 2, 10); @ = llquantize(10, 10, 1, 2, 10);
	@ = llquantize(25, 10, 1, 2, 10); @ = llquantize(99, 10, 1, 2, 10);
	@ = llquantize(100, 10, 1, 2, 10); @ = llquantize(999, 10, 1, 2, 10);
	@ = llquantize(1000, 10, 1, 2, 10);
	exit(0);
}
