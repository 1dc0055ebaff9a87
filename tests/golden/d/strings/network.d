#pragma D option quiet

BEGIN
{
	a = (ipaddr_t *)alloca(sizeof (ipaddr_t));
	*a = htonl(0xc0a80001);
	printf("%s %x %x %x\n", inet_ntoa(a), htons(0x1234),
	    ntohl(0x11223344), htonll(1));
	exit(0);
}
