#pragma D option quiet

struct s {
	char name[8];
	int n;
};
struct s v;

BEGIN
{
	v.name[0] = 'a';
	v.name[1] = 'b';
	printf("[%s] [%5s]\n", v.name, v.name);
	exit(0);
}
