#pragma D option quiet
#pragma D option dynvarsize=40

/*
 * A dynamic drop in a condition makes that false; in a part it ends that one.
 */
BEGIN
{
	a[1] = 1;
	a[2] = 2;
}

BEGIN
{
	if (a[3] = 3)
		printf("not this\n");
	else
		printf("this %d\n", epid);
	printf("behind\n");
}

BEGIN
{
	if (1) {
		if (++a[4] || 1)
			printf("nor this\n");
		printf("in it\n");
	}
	if ((this->x = 5) == 5) {
		printf("x %d\n", this->x);
		a[6] = 6;
		printf("nor that\n");
	} else
		printf("nor there\n");
	printf("the end %d\n", epid);
	exit(0);
}
