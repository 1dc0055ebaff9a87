#pragma D option quiet

BEGIN
{
	this->a = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	*this->a = htonl(0x7f000001);
	printf("%s\n", inet_ntoa(this->a));
	printf("%s\n", inet_ntop(AF_INET, this->a));
	exit(0);
}
