#pragma D option quiet


BEGIN
{
	this->path = "/var/log/app/server.log";
	this->dot = strrchr(this->path, '.');
	printf("%s %s %s\n", dirname(this->path), basename(this->path),
	    this->dot == NULL ? "-" : substr(this->dot, 1));
	exit(0);
}
