#pragma D option quiet
#pragma D option bufsize=64

/* A part without room has no effect; a smaller one has room. */
BEGIN
{
	a = 1;
	tracemem(alloca(100), 100);
	if (a == 0) {
		printf("room %d\n", a);
	}
	exit(0);
}
