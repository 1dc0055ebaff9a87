#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", sizeof (int8_t), sizeof (int16_t),
	    sizeof (int32_t), sizeof (int64_t));
	printf("%d %d %d %d\n", sizeof (uint8_t), sizeof (uint16_t),
	    sizeof (uint32_t), sizeof (uint64_t));
	printf("%d %d %d %d\n", sizeof (size_t), sizeof (intptr_t),
	    sizeof (uintptr_t), sizeof (ipaddr_t));
	printf("%d %d %d %d\n", sizeof (uchar_t), sizeof (ushort_t),
	    sizeof (uint_t), sizeof (ulong_t));
	printf("%d %d %d\n", sizeof (u_longlong_t), sizeof (pid_t),
	    sizeof (bool));
	printf("%d %d\n", sizeof (NULL), NULL);
	exit(0);
}
