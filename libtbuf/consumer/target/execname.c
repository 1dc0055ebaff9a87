/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The name of a target's program.  It is copied, because the target may rewrite
 * its file while a caller has the name.
 */
#include "consumer/target/target.h"
#include "consumer/util/util.h"

const char *
tbuf_target_execname(struct tbuf_target *t)
{
	if (t->execname[0] == '\0')
		(void)tbuf_copy(t->execname,
		    tbuf_view_control(&t->view)->execname,
		    sizeof(t->execname));
	return (t->execname);
}
