/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * CPython 3.11 and others.
 */
provider python {
	probe function__entry(const char *file, const char *function, int line);
	probe function__return(const char *file, const char *function,
	    int line);
	probe line(const char *file, const char *function, int line);
	probe gc__start(int generation);
	probe gc__done(long collected);
	probe import__find__load__start(const char *module);
	probe import__find__load__done(const char *module, int found);
	probe audit(const char *event, void *arguments);
};
