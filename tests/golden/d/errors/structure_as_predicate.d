struct s { int a; } v;

BEGIN
/v/
{
	trace(1);
}
