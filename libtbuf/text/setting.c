/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings of the text trace: by TBUF_TEXT in the environment, by the program
 * and by other processes (remote_setting.c).  One thread at a time changes
 * them; messages read them without a lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/process/process.h"
#include "target/self/thread.h"
#include "text/remote_setting.h"
#include "text/text.h"

static uint32_t facility;	/* enum tbuf_facility */
static uint32_t level = TBUF_INFO;
static uint32_t kbytes = TBUF_TRACE_KB;
/*
 * Old strings are never freed, as another thread may read them.  A person
 * changes them, so there are few.
 */
static const char *listed = "ALL";
static const char *path = "";
static uint32_t made;		/* kilobytes of the chunk, or the parent's */

static int (*flush)(void);	/* NULL: flush_to_file() */

static void
begin(void)
{
	const char *setting = secure_getenv("TBUF_TEXT");
	const char *wrong;
	int error;

	tbuf_life_begin();
	if (!tbuf_text_own_make())
		return;
	if (setting == NULL || *setting == '\0')
		return;
	if (tbuf_text_check(setting, &wrong) != 0)
		tbuf_text_say(wrong, EINVAL);
	else if ((error = tbuf_text_set(setting)) != 0 && error != -ENOMEM)
		tbuf_text_say("TBUF_TEXT", -error);
}

int
tbuf_text_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (tbuf_text_own == NULL)
		pthread_once(&once, begin);
	return (tbuf_text_own == NULL ? -ENOMEM : 0);
}

/* ------------------------------------------------------------ settings */

uint32_t
tbuf_text_facility(void)
{
	return (tbuf_load(&facility));
}

unsigned
tbuf_text_level(const char *component)
{
	return (tbuf_text_setting_level(tbuf_load_acquire(&listed), level,
	    component));
}

unsigned
tbuf_text_traced(const char *component)
{
	return (tbuf_text_facility() == TBUF_FACILITY_OFF ? 0 :
	    tbuf_text_level(component));
}

const char *
tbuf_text_path(void)
{
	return (tbuf_load_acquire(&path));
}

static int
flush_to_file(void)
{
	return (tbuf_text_own == NULL ? 0 : tbuf_trace_flush(tbuf_text_path()));
}

int
tbuf_text_flush(void)
{
	int (*function)(void) = tbuf_load_acquire(&flush);
	int saved = errno, error;

	/* The function's own call flushes to the file. */
	if (function == NULL || tbuf_thread.flushing)
		error = flush_to_file();
	else {
		tbuf_thread.flushing = true;
		error = function();
		tbuf_thread.flushing = false;
	}
	errno = saved;
	return (error);
}

void
tbuf_text_flush_set(int (*function)(void))
{
	tbuf_store_release(&flush, function == tbuf_text_flush ? NULL :
	    function);
}

const void *
tbuf_text_memory(size_t *size)
{
	const struct tbuf_trace *trace = tbuf_text_own == NULL ? NULL :
	    tbuf_load_acquire(&tbuf_text_own->trace);

	*size = trace == NULL ? 0 : sizeof(*trace) + tbuf_text_own->size;
	return (trace);
}

int
tbuf_text_check(const char *text, const char **wrong)
{
	struct tbuf_text_setting s;

	*wrong = tbuf_text_setting_parse(text, &s);
	return (*wrong == NULL ? 0 : -EINVAL);
}

/* ------------------------------------------------------------ changes */

static void
components_point(void)
{
	struct tbuf_component *c;

	for (c = tbuf_components; c != NULL; c = c->next)
		tbuf_component_point(c, tbuf_text_traced(c->name));
}

/* Makes a chunk of this process: of `kbytes', or a part of its parent's. */
static int
enter_memory(uint32_t size)
{
	int error = tbuf_trace_make(size);

	if (error == 0) {
		made = size;
		return (0);
	}
	tbuf_store(&facility, TBUF_FACILITY_OFF);
	components_point();
	tbuf_text_say("text trace turned off: no memory for it", -error);
	return (-ENOMEM);
}

/* Leaves Memory, unless its lines cannot be flushed. */
static int
leave_memory(void)
{
	int error = tbuf_text_flush();

	if (error == 0 && (error = tbuf_trace_leave()) == 0)
		made = 0;
	return (error);
}

/* Checks a setting before anything is changed.  Returns 0 or -errno. */
static int
change_check(const struct tbuf_text_setting *s, uint32_t next)
{
	const char *file = (s->present & TBUF_TEXT_PATH) != 0 ? s->path : path;
	int fd;

	if ((s->present & TBUF_TEXT_KBYTES) != 0 && made != 0 &&
	    s->kbytes != kbytes)
		return (-EBUSY);
	if (next != TBUF_FACILITY_FILE)
		return (0);
	if (*file == '\0')
		return (-ENOENT);
	if ((fd = tbuf_textfile_open(file)) < 0)
		return (fd);
	close(fd);
	return (0);
}

/*
 * Strings of settings, also of replaced ones, which another thread may still be
 * reading.
 */
static struct stored {
	struct stored *older;
	char text[];
} *texts;

/* Copies a setting's string to *stored, which is NULL if nothing changes. */
static int
keep(unsigned present, unsigned bit, const char *text, const char *old,
    const char **stored)
{
	size_t size = strlen(text) + 1;
	struct stored *k;

	*stored = NULL;
	if ((present & bit) == 0 || strcmp(text, old) == 0)
		return (0);
	if ((k = malloc(sizeof(*k) + size)) == NULL)
		return (-ENOMEM);
	memcpy(k->text, text, size);
	k->older = texts;
	texts = k;
	*stored = k->text;
	return (0);
}

static void
take_words(const struct tbuf_text_setting *s, const char *components,
    const char *file)
{
	if (components != NULL)
		tbuf_store_release(&listed, components);
	if (file != NULL)
		tbuf_store_release(&path, file);
	if ((s->present & TBUF_TEXT_LEVEL) != 0)
		level = s->level;
	if ((s->present & TBUF_TEXT_KBYTES) != 0)
		kbytes = s->kbytes;
}

/*
 * Changes the facility.  Lines go to the new one meanwhile, even if Memory then
 * cannot be left.
 */
static int
change_facility(uint32_t next)
{
	uint32_t last = facility;
	int error;

	if (next == last)
		return (0);
	if (next == TBUF_FACILITY_MEMORY &&
	    (error = enter_memory(kbytes)) != 0)
		return (error);
	tbuf_store(&facility, next);
	if (last != TBUF_FACILITY_MEMORY)
		return (0);
	tbuf_trace_close(1);
	if ((error = leave_memory()) == 0)
		return (0);
	tbuf_trace_close(0);
	tbuf_store(&facility, last);
	return (error);
}

static int
change(const struct tbuf_text_setting *s)
{
	uint32_t next = (s->present & TBUF_TEXT_FACILITY) != 0 ? s->facility :
	    facility;
	const char *components, *file;
	int error;

	if ((error = change_check(s, next)) != 0)
		return (error);
	if ((error = keep(s->present, TBUF_TEXT_COMPONENTS, s->components,
	    listed, &components)) != 0 ||
	    (error = keep(s->present, TBUF_TEXT_PATH, s->path, path,
	    &file)) != 0)
		return (error);
	take_words(s, components, file);
	error = change_facility(next);
	components_point();
	return (error);
}

int
tbuf_text_set(const char *setting)
{
	struct tbuf_text_setting s;
	int saved = errno, error;

	if (tbuf_text_setting_parse(setting, &s) != NULL)
		return (-EINVAL);
	if (tbuf_text_own == NULL && (error = tbuf_text_begin()) != 0)
		return (error);
	if (!tbuf_text_lock())
		return (-EBUSY);
	error = change(&s);
	tbuf_text_unlock();
	errno = saved;
	return (error);
}

/*
 * Obeys a remote setting, unless it has a size: only this process sets that.  A
 * path needs a ticket, as any process with the file can have written it.
 */
void
tbuf_text_order_take(void)
{
	char setting[TBUF_TEXT_SETTING_MAX];
	struct tbuf_text_setting s;
	uint64_t ticket;
	int error;

	if (!tbuf_text_order_read(setting, &ticket) ||
	    tbuf_text_setting_parse(setting, &s) != NULL ||
	    (s.present & TBUF_TEXT_KBYTES) != 0)
		return;
	error = (s.present & TBUF_TEXT_PATH) != 0 &&
	    !tbuf_text_ticket_take(ticket, s.path) ? -EPERM :
	    tbuf_text_set(setting);
	if (error != 0 && error != -ENOMEM)
		tbuf_text_say(setting, -error);
}

/* Makes a chunk for a child's first line, as its parent had one. */
bool
tbuf_text_restart(void)
{
	uint32_t share;
	int error = -EBUSY;

	if (!tbuf_text_lock())
		return (false);
	if (facility == TBUF_FACILITY_MEMORY) {
		share = made / TBUF_TRACE_SHARE;
		error = tbuf_load(&tbuf_text_own->trace) != NULL ? 0 :
		    enter_memory(share > TBUF_TRACE_KB_MIN ? share :
		    TBUF_TRACE_KB_MIN);
	}
	tbuf_text_unlock();
	return (error == 0);
}
