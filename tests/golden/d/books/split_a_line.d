#pragma D option quiet


BEGIN
{
	this->s = "GET /index.html HTTP/1.1";
	this->method = strtok(this->s, " ");
	this->path = strtok(NULL, " ");
	this->version = strtok(NULL, " ");
	printf("%s|%s|%s\n", this->method, this->path, this->version);
	exit(0);
}
