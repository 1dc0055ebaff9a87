#pragma D option quiet

BEGIN
{
	this->n = 3;
	this->s = "three";
}

BEGIN
/this->n == 3/
{
	printf("%d %s\n", this->n, this->s);
	this->n++;
}

BEGIN
{
	printf("%d\n", this->n);
	exit(0);
}

END
{
	printf("%d\n", this->n);
}
