/* Files by their descriptors, and where the process is. */
#pragma D option quiet

inline fileinfo_t FILE[int base, int n] =
    xlate < fileinfo_t > ((struct file *)(long)(base + n));

struct entry {
	fileinfo_t *file;
	loff_t at;
	caddr_t name;
};

BEGIN
{
	printf("%s %s %s\n", fds[0].fi_name, fds[0].fi_dirname,
	    fds[0].fi_pathname);
	printf("%d %d %s\n", fds[0].fi_offset, fds[0].fi_oflags & O_ACCMODE,
	    fds[0].fi_mount);
	printf("%s %s\n", fds[1].fi_name, basename(fds[1].fi_dirname));
}

BEGIN
/fds[0].fi_pathname == "/dev/null" && fds[1].fi_name != fds[0].fi_name/
{
	@names[fds[2].fi_name, fds[2].fi_oflags & O_ACCMODE] = count();
}

/* What is not open. */
BEGIN
{
	n = 999;
	printf("%s %s %s %s %d %d\n", fds[n].fi_name, fds[n].fi_dirname,
	    fds[n].fi_pathname, fds[n].fi_fs, fds[n].fi_offset,
	    fds[n].fi_oflags);
	printf("%s\n", fds[-1].fi_name);
	printf("%s %s\n", FILE[1, 1].fi_name, FILE[n, 1].fi_name);
	printf("%s %s\n", basename(cwd), root);
	printf("%d\n", sizeof(struct entry));
	exit(0);
}
