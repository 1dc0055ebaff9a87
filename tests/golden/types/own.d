#pragma D option quiet

/* What the script declares itself is its own, also when it does so late. */
struct peer *p;
struct peer { int fd; char pad[3]; };
typedef int request_t;

BEGIN
{
	printf("%d %d\n", sizeof(struct peer), sizeof(request_t));
	exit(0);
}
