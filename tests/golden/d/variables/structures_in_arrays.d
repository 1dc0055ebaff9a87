#pragma D option quiet

struct pair {
	int a;
	int b;
	char c:3, d:5;
	string name;
	int list[2];
};
struct pair all[string];

BEGIN
{
	all["x"].a = 1;
	all["x"].b = 2;
	all["y"] = all["x"];
	printf("%d %d\n", all["y"].a, all["y"].b);
	all["x"].c = 3;
	all["x"].d = -2;
	all["x"].name = "a name";
	all["x"].name = "cut";
	all["x"].list[1]++;
	printf("%d %d %s %d\n", all["x"].c, all["x"].d, all["x"].name,
	    all["x"].list[1]);
	exit(0);
}
