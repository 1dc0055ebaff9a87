#pragma D option quiet

struct s {
	int a;
	char b[4];
};
struct s v;

BEGIN
{
	v.a = 0x41424344;
	v.b[0] = 'x';
	trace(v);
	exit(0);
}
