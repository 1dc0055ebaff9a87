struct s { int a; } v;
struct t { int a; } u;

BEGIN
{
	v = u;
}
