#pragma D option quiet

BEGIN
{
	x = y = z = 5;
	this->a = self->b = c[1] = x + 1;
	printf("%d %d %d %d %d %d\n", x, y, z, this->a, self->b, c[1]);
	x += y -= z *= 2;
	printf("%d %d %d\n", x, y, z);
	exit(0);
}
