#pragma D option quiet


BEGIN
{
	this->ns = 3723004005006;
	printf("%d.%09d\n", this->ns / 1000000000, this->ns % 1000000000);
	printf("%02d:%02d:%02d\n", this->ns / 1000000000 / 3600,
	    this->ns / 1000000000 / 60 % 60, this->ns / 1000000000 % 60);
	exit(0);
}
