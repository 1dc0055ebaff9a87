struct s { int a; } v;

BEGIN
{
	printf("%d", v);
}
