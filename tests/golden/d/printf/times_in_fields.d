#pragma D option quiet

BEGIN
{
	printf("%25Y|%-25Y|%.4Y|\n", 0LL, 1LL, 2LL);
	printf("%T|\n", 1000000000000000000);
	exit(0);
}
