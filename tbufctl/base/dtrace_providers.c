/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * DTrace's providers that tbuf does not have, as scripts may name them.
 */
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "dtrace_providers.h"
#include "messages.h"

bool
missing_is_pid(const char *provider)
{
	const char *digits = provider + strlen("pid");

	return (strncmp(provider, "pid", strlen("pid")) == 0 &&
	    *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0');
}

bool
missing_is_offset(const char *name)
{
	const char *digits = name + (strncmp(name, "0x", 2) == 0 ? 2 : 0);

	return (*digits != '\0' &&
	    digits[strspn(digits, "0123456789abcdefABCDEF")] == '\0');
}

bool
missing_name(const char *provider, const char *name)
{
	return (missing_is_pid(provider) && *name != '\0' &&
	    fnmatch(name, "entry", 0) != 0 &&
	    fnmatch(name, "return", 0) != 0 && !missing_is_offset(name));
}

/*
 * Returns true for a provider that was to be that of a process.  A macro in a
 * description without a clause is no macro if its name is wrong.
 */
static bool
lacks_process(const char *provider)
{
	return (strcmp(provider, "pid") == 0 ||
	    strncmp(provider, "pid$", strlen("pid$")) == 0);
}

bool
missing_tell(const char *provider, const char *name)
{
	static const char *const names[] = {
		"cpc", "fbt", "fpuinfo", "io", "ip", "lockstat", "mib",
		"proc", "rawfbt", "rawtp", "sched", "sdt", "sysinfo", "tcp",
		"udp", "vminfo"
	};
	static bool reported[sizeof(names) / sizeof(names[0])], reported_pid;
	bool missing = missing_is_pid(provider);
	size_t i;

	if (missing_name(provider, name))
		message(MSG_PID_NAME, name);
	else if (lacks_process(provider)) {
		message(MSG_PID_NUMBER, provider);
		missing = true;
	} else if (missing && !reported_pid) {
		message(MSG_PID);
		reported_pid = true;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(provider, names[i]) == 0) {
			missing = true;
			if (!reported[i])
				message(MSG_KERNEL, provider);
			reported[i] = true;
		}
	return (missing);
}
