/* Clauses here store while the program runs, to members and elements, too. */
struct pair {
	int first;
	int second;
};

struct pair one, pairs[string];
int level;

BEGIN
{
	one.first = 1;
	pairs["a"].first = 2;
	order["on"] = 1;
}

tick-10ms
{
	one.second = 3;
	pairs["a"].second = 4;
	order["now"] = 5;
	order["on"] = 0;
	level = 6;
}

tt:::count
/level == 6/
{
	printf("%d %d %d %d %d %d\n", one.first, one.second, pairs["a"].first,
	    pairs["a"].second, order["now"], order["on"]);
	exit(0);
}
