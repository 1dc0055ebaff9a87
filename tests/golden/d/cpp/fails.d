#include "nothing.h"

BEGIN
{
	exit(0);
}
