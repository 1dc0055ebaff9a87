struct pair {
	int a;
	char b[4];
};
struct pair p;

BEGIN
{
	p.a = 0x41424344;
	p.b[0] = 'x';
	trace(p);
	exit(0);
}
