#pragma D option quiet

struct s {
	int a;
	struct s *next;
};
typedef struct s *ps;

BEGIN
{
	printf("%d %d\n", sizeof (ps), sizeof (*(ps)NULL));
	exit(0);
}
