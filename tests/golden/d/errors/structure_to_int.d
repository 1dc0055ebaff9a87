struct s { int a; } v;

BEGIN
{
	x = (int)v;
}
