#pragma D option quiet

struct pair {
	int a;
	int b;
};
struct pair all[string];

BEGIN
{
	all["x"].a = 1;
	all["x"].b = 2;
	all["y"] = all["x"];
	printf("%d %d\n", all["y"].a, all["y"].b);
	exit(0);
}
