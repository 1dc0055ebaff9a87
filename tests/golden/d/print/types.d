#pragma D option quiet

struct s {
	int a;
};
struct s v;
enum e { ONE = 1, TWO };

BEGIN
{
	print((char)'a');
	print((short)-1);
	print((uint64_t)255);
	print((enum e)2);
	print(0);
	exit(0);
}
