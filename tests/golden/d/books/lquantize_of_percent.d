#pragma D option quiet


BEGIN
{
	@ = lquantize(0, 0, 100, 25); @ = lquantize(30, 0, 100, 25);
	@ = lquantize(49, 0, 100, 25); @ = lquantize(100, 0, 100, 25);
	exit(0);
}
