#pragma D option quiet

BEGIN
{
	this->a = "one";
	this->b = strjoin(this->a, "two");
	this->a = "three";
	printf("%s %s\n", this->a, this->b);
	exit(0);
}
