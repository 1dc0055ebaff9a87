#pragma D attributes Silly/Evolving/Common provider dtrace provider

BEGIN
{
	exit(0);
}
