#pragma D option quiet

BEGIN
{
	printf("%s%s%s\n", "0123456789", "0123456789", "0123456789");
	printf("%60s|\n", "right");
	printf("%-60s|\n", "left");
	exit(0);
}
