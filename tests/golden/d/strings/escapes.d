#pragma D option quiet

BEGIN
{
	printf("a\tb\\c\"d\101\x42\n");
	printf("%d %d\n", strlen("\0abc"), strlen("a\nb"));
	printf("\q\n");
	exit(0);
}
