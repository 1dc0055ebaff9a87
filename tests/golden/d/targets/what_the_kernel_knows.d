/* Whom a process descends from, its threads and their priority. */
tt:::count
/progenyof($target) && progenyof($pid) && !progenyof(0) && arg0 == 2/
{
	printf("%d %d %d\n", progenyof(pid), progenyof(ppid), progenyof(-1));
	printf("%d %d\n", curpsinfo->pr_nlwp,
	    curlwpsinfo->pr_pri >= 100 && curlwpsinfo->pr_pri < 140);
}

BEGIN
{
	printf("%d %d\n", progenyof($ppid), progenyof(-1));
	printf("%d\n", curlwpsinfo->pr_pri >= 100 && curlwpsinfo->pr_pri < 140);
}
