#pragma D option quiet

enum color { RED, GREEN = 5, BLUE };
typedef enum color color_t;
struct flags {
	unsigned int a : 3;
	unsigned int b : 5;
	unsigned int c : 9;
};
struct flags f;
color_t paint;

BEGIN
{
	paint = BLUE;
	f.a = 9;
	f.b = 31;
	f.c = 257;
	printf("%d %d %d %d %d\n", paint, RED, f.a, f.b, f.c);
	exit(0);
}
