#pragma D option quiet

BEGIN
{
	a["x"] = 1;
	a["y"] = 2;
	b[1, "k"] = "v";
	printf("%d %d %d\n", a["x"], a["y"], a["z"]);
	printf("%s\n", b[1, "k"]);
	a["x"]++;
	a["z"] += 0;
	printf("%d\n", a["x"]);
	a["x"] = 0;
	printf("%d\n", a["x"]);
	exit(0);
}
