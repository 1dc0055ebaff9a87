BEGIN
{
	trace((char)-1);
	trace((unsigned char)200);
	trace((short)-300);
	trace((unsigned short)60000);
	trace(-70000);
	trace(4000000000);
	trace((unsigned int)7);
	trace((uint64_t)8);
	exit(0);
}
