// "As C has them /* and to the end of the line \
#pragma D option quiet

struct point { // of two // members
	int x; // */
	int y;
} here; // one

// BEGIN { exit(1); }
BEGIN // nothing { exit(2); }
/8 / 2 == 4/ // the predicate's slashes are none
{
	here.x = 10 // a division
	    / 2;
	here.// its member
	    y = 7 / 2;
	printf("%d %d // %s\n", here.x, here.y, "//"); // exit(3);
}

BEGIN
/1 // true
/
{ exit(0); } // the end