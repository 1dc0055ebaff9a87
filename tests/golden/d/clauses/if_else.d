#pragma D option quiet

BEGIN
{
	x = 5;
	if (x > 3) {
		printf("large\n");
	} else {
		printf("small\n");
	}
	if (x == 5)
		printf("five\n");
	if (x < 3) {
		printf("no\n");
	} else if (x == 4) {
		printf("no\n");
	} else
		printf("neither\n");
	exit(0);
}
