#pragma D option quiet

#include "header.h"

BEGIN
{
	printf("%d\n", VALUE);
	exit(0);
}
