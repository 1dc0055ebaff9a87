#pragma D option quiet

double d;
float f;

BEGIN
{
	printf("%f %g %d %d\n", d, f, sizeof (d), sizeof (f));
	exit(0);
}
