#pragma D option quiet

BEGIN
{
	printf("%#5x|%-#8x|%08x|%+5d|%-+5d|% 5d|\n", 10, 10, 10, 10, 10, 10);
	printf("%.0d|%.5x|%10.5d|%-10.5d|%#o|\n", 0, 10, 10, 10, 8);
	printf("%*d|%-*d|%*.*d|%.*s|\n", 5, 1, 5, 2, 6, 3, 7, 2, "abcdef");
	printf("%*d|%.*d|\n", -5, 3, -1, 3);
	exit(0);
}
