#pragma D option quiet

#ifndef X
BEGIN
{
	printf("undefined\n");
	exit(0);
}
#endif
