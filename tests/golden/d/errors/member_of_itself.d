struct s { struct s x; };

BEGIN
{
	exit(0);
}
