#pragma D option quiet

struct s {
	string name;
	int n;
};
struct s v;

BEGIN
{
	v.name = "abc";
	v.n = 2;
	print(v);
	exit(0);
}
