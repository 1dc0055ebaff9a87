#pragma D option quiet

BEGIN
{
	printf("[%*d] [%-*d] [%*d]\n", 6, 42, 6, 42, -6, 42);
	printf("[%.*d] [%*.*d]\n", 4, 42, 7, 4, 42);
	printf("[%*s] [%.*s] [%*.*s]\n", 8, "hello", 2, "hello", 6, 3,
	    "hello");
	exit(0);
}
