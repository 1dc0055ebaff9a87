#pragma D option bpflogsize=unlimited

BEGIN
{
	exit(0);
}
