#pragma D option quiet


BEGIN
{
	@bytes["read"] = sum(4096);
	@bytes["read"] = sum(8192);
	@bytes["write"] = sum(1024 * 1024);
	normalize(@bytes, 1024);
	printa("%-8s %@6d KB\n", @bytes);
	denormalize(@bytes);
	printa("%-8s %@8d\n", @bytes);
	trunc(@bytes);
	exit(0);
}
