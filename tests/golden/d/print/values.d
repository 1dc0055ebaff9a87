#pragma D option quiet

BEGIN
{
	print(0x17);
	print('a');
	print("x");
	print((void *)0x12);
	exit(0);
}
