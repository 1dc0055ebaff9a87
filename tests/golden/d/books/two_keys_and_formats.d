#pragma D option quiet


BEGIN
{
	@["httpd", 80] = count(); @["httpd", 443] = count(); @["sshd", 22] = count();
	@["httpd", 443] = count();
	printa("%-6s %5d %@4d\n", @);
	exit(0);
}
