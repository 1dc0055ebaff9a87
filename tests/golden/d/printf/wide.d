#pragma D option quiet

typedef int wchar_t;
wchar_t w[8];
wchar_t odd[4];

BEGIN
{
	w[0] = 'a';
	w[1] = 0xe9;
	w[2] = 0x20ac;
	w[3] = 0x1f600;
	w[4] = 'z';
	printf("[%ws] [%13ws] [%-13ws]\n", w, w, w);
	printf("[%.3ws] [%.4ws] [%.6ws]\n", w, w, w);
	odd[0] = 0xd800;
	odd[1] = 0x110000;
	odd[2] = -1;
	printf("[%ws] [%wc] [%4wc] [%wc] [%wc]\n", odd, w[1], w[1], w[2], -1);
	exit(0);
}
