#pragma D option quiet=YES
#pragma D option temporal=Enabled
#pragma D option temporal=DISABLED
#pragma D option aggsortrev=True
#pragma D option flowindent=UnSet

BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(2);
	setopt("quiet", "oN");
	exit(0);
}
