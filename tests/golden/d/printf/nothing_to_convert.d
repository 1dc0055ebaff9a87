#pragma D option quiet

BEGIN
{
	printf("just text\n");
	printf("%%d is no conversion, %%%% is two\n");
	exit(0);
}
