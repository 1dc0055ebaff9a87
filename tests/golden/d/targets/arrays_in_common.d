/* What BEGIN has stored is there at probes, and what these store is at END. */
struct pair {
	int first;
	int second;
};

struct pair pairs[int];
int only_here[string];

BEGIN
{
	watch[1] = 10;
	watch[2] = 20;
	name["one"] = "BEGIN";
	pairs[5].first = 50;
	only_here["begin"] = 3;
}

tt:::count
/watch[arg0]/
{
	printf("%d: %d %s %d\n", arg0, watch[arg0], name["one"],
	    pairs[5].first);
	seen[arg0] = watch[arg0] + 1;
	name[stringof(text)] = "probe";
	pairs[5].second += arg0;
	watch[arg0] = 0;
}

END
{
	printf("%d %d %d %d\n", watch[1], watch[2], seen[1], seen[2]);
	printf("%s %s\n", name["one"], name["a text"]);
	printf("%d %d %d\n", pairs[5].first, pairs[5].second,
	    only_here["begin"]);
}
