#pragma D option quiet

struct s {
	int a;
	int b;
};

BEGIN
{
	trace(((struct s *)NULL)->b);
}

BEGIN
{
	exit(0);
}
