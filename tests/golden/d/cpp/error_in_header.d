#define NEEDED
#ifdef NEEDED
#include "broken.h"
#endif

BEGIN
{
	exit(0);
}
