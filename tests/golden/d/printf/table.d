#pragma D option quiet

BEGIN
{
	printf("%-10s|%6s|%-6d|%06d|%+d\n", "NAME", "PID", 12, 34, 5);
	printf("%10.3s|%.2s|%x|%#x|%o|%#o|%c\n", "abcdef", "xyz", 255, 255, 8, 8,
	    65);
	printf("%*d|%-*d|%%|\n", 6, 1, 6, 2);
	exit(0);
}
