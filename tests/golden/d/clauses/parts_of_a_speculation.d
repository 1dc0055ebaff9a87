#pragma D option quiet
#pragma D option specsize=32

/* What finds no room in a speculation is not followed into it. */
BEGIN
{
	s = speculation();
	if (s) {
		speculate(s);
		tracemem(alloca(100), 100);
	}
	printf("printed at once\n");
	if (s) {
		commit(s);
	}
	exit(0);
}
