#pragma D option quiet

struct s {
	int a;
	long b;
	short c;
};

BEGIN
{
	printf("%d %d %d\n", sizeof (char), sizeof (long), sizeof (void *));
	printf("%d %d %d\n", offsetof(struct s, a), offsetof(struct s, b),
	    offsetof(struct s, c));
	printf("%d %d\n", sizeof (struct s), sizeof ("hi"));
	exit(0);
}
