#pragma D option quiet

struct s {
	string a;
	int n;
};
struct s v;

BEGIN
{
	v.a = "in a member";
	v.n = 3;
	printf("%s %d\n", v.a, v.n);
	exit(0);
}
