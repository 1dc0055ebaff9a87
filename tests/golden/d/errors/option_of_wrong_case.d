#pragma D option bufpolicy=Ring

BEGIN
{
	exit(0);
}
