#pragma D option quiet

BEGIN
{
	printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
	printf("[%#x] [%#X] [%#o] [%.5d] [%8.5d] [%-8.5d]\n", 255, 255, 8, 42,
	    42, 42);
	printf("[%05d] [%+5d] [%+05d]\n", -42, 7, 7);
	printf("[%'d]\n", 1000000);
	exit(0);
}
