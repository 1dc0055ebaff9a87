#pragma D option quiet


union word { uint32_t w; uint8_t b[4]; };
union word u;

BEGIN
{
	u.w = htonl(0x01020304);
	printf("%d.%d.%d.%d\n", u.b[0], u.b[1], u.b[2], u.b[3]);
	exit(0);
}
