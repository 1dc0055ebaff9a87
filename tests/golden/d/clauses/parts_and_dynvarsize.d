#pragma D option quiet
#pragma D option dynvarsize=20

/* A dynamic drop ends the part that it is in, and what that has recorded. */
BEGIN
{
	x[1] = 1;
	printf("lost\n");
	x[2] = 2;
	printf("lost\n");
	if (x[1] == 1) {
		printf("kept\n");
	}
	printf("%d %d\n", x[1], x[2]);
	exit(0);
}
