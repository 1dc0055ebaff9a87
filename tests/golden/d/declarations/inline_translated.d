/* What an inline array translates has its keys. */
#pragma D option quiet

struct pair { int low; int high; };
struct sum { int all; int first; };

translator struct sum < struct pair *P > {
	all = P->low + P->high;
	first = P->low;
};

int pairs[6];

inline struct sum AT[int n, int skip] =
    xlate < struct sum > ((struct pair *)&pairs[2 * (n + skip)]);
inline struct sum *FROM[int n] =
    xlate < struct sum * > ((struct pair *)&pairs[2 * n]);

BEGIN
{
	pairs[0] = 1;
	pairs[1] = 2;
	pairs[2] = 10;
	pairs[3] = 20;
	pairs[4] = 100;
	pairs[5] = 200;
	i = 1;
	printf("%d %d %d\n", AT[0, 0].all, AT[1, 0].all, AT[i, 1].all);
	printf("%d %d\n", FROM[i]->first, FROM[i + 1]->all);
	this->s = AT[1, i];
	printf("%d %d\n", this->s.all, this->s.first);
	exit(0);
}
