int x;
enum e { x };

BEGIN
{
	exit(0);
}
