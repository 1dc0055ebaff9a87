#pragma D option quiet

/* No id is 0: that ends a part, not those that an if has parted from it. */
BEGIN
{
	i = 0;
	if (i == 0) {
		speculate(i);
		printf("never\n");
		i = 1;
		if (1) {
			printf("inner %d\n", i);
		}
	} else {
		printf("else\n");
	}
	printf("behind %d\n", i);
	if (i == 0)
		printf("still %d\n", i);
	exit(0);
}
