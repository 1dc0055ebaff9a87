#pragma D option quiet
#pragma D option bpflog
#pragma D option bpflogsize=16m
#pragma D option buflimit=100
#pragma D option core
#pragma D option debug
#pragma D option debugassert=mutexes
#pragma D option disasm=3
#pragma D option dofstashpath=/run/dtrace
#pragma D option evaltime=main
#pragma D option iregs=8
#pragma D option kdefs
#pragma D option knodefs
#pragma D option late=dynamic
#pragma D option lazyload
#pragma D option linknommap
#pragma D option linktype=ELF
#pragma D option nusdtprobes=256
#pragma D option pcapsize=256
#pragma D option pgmax=16
#pragma D option preallocate=1k
#pragma D option strip
#pragma D option sysslice=system.slice
#pragma D option tregs=4
#pragma D option udefs
#pragma D option unodefs
#pragma D option useruid=500

/* They are about how DTrace does it: a script that sets them runs. */
BEGIN
{
	printf("set\n");
	exit(0);
}
