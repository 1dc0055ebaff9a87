#pragma D option quiet

BEGIN
{
	this->n = 1;
	if (this->n) {
		this->n = 2;
	}
	printf("%d\n", this->n);
	exit(0);
}
