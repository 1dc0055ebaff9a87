#pragma D option quiet

BEGIN
{
	this->path = "/usr/lib/dtrace/libdtrace.so";
	this->file = basename(this->path);
	this->dot = strrchr(this->file, '.');
	printf("%s | %s | %s | %s\n", dirname(this->path), this->file,
	    this->dot, substr(this->file, 0, index(this->file, ".")));
	exit(0);
}
