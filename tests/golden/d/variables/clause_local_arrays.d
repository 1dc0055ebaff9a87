#pragma D option quiet

this int a[3];

BEGIN
{
	this->a[0] = 1;
	this->a[2] = 3;
	printf("%d %d %d\n", this->a[0], this->a[1], this->a[2]);
	exit(0);
}
