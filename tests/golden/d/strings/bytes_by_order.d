#pragma D option quiet

BEGIN
{
	printf("%x %x %lx\n", htons(0x1234), htonl(0x12345678),
	    htonll(0x123456789abcdef0));
	printf("%x %x %lx\n", ntohs(0x123456), ntohl(0x1234), ntohll(0x12));
	printf("%d %d\n", sizeof(htons(1)), sizeof(htonll(1)));
	exit(0);
}
