enum e { A = B, B };

BEGIN
{
	exit(0);
}
