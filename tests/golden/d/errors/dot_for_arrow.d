struct s { int a; } *v;

BEGIN
{
	trace(v.a);
}
