#pragma D option quiet

BEGIN
{
	@ = sum((char)-3);
	@u = max((unsigned char)200);
	exit(0);
}
