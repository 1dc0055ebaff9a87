#pragma D option quiet

typedef unsigned char byte_t;
typedef byte_t bytes_t[4];

BEGIN
{
	x = (byte_t)300;
	printf("%d %d %d\n", x, sizeof (byte_t), sizeof (bytes_t));
	exit(0);
}
