#pragma D attributes Evolving/Evolving/Common answer
inline int answer = 42;

dtrace:::BEGIN,
profile:::tick-1s
{
	printf("%d %d\n", answer, ntohs(0x100));
	exit(0);
}
