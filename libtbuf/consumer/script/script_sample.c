/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * profile-N on threads of targets: its clauses run as the thread that was
 * sampled.
 */
#include <string.h>

#include "consumer/script/script.h"
#include "machine/internal.h"

struct tbuf_script_probe *
tbuf_script_profile(struct tbuf_script *s, const struct tbuf_script_probe *p)
{
	unsigned i = p == NULL ? 0 : (unsigned)(p - s->probes) + 1;

	for (; i < s->nprobes; i++)
		if (s->probes[i].kind == TBUF_SCRIPT_PROFILE)
			return (&s->probes[i]);
	return (NULL);
}

bool
tbuf_script_stacks(const struct tbuf_script *s,
    const struct tbuf_script_probe *p)
{
	unsigned i;

	for (i = 0; i < s->nenablings; i++)
		if (s->enablings[i].probe == p &&
		    (s->enablings[i].clause->flags & TBUF_CLAUSE_STACK) != 0)
			return (true);
	return (false);
}

void
tbuf_script_sampling(struct tbuf_script *s)
{
	unsigned i;

	for (i = 0; i < s->nprobes; i++)
		if (s->probes[i].kind == TBUF_SCRIPT_PROFILE)
			s->probes[i].next = UINT64_MAX;
}

void
tbuf_script_sampled(struct tbuf_script *s,
    const struct tbuf_script_probe *probe,
    const struct tbuf_script_sample *sample)
{
	if (s->exited)
		return;
	s->sample = sample;
	tbuf_script_fire(s, probe, sample->cpu);
	s->sample = NULL;
}

void
tbuf_script_unsampled(struct tbuf_script *s, int cpu, uint64_t count)
{
	if (!s->exited)
		s->cpus[cpu].drops[TBUF_CAUSE_FULL] += count;
}

/* Copies at most `most` frames of a sample, or NULL.  Returns their number. */
static uint64_t
frames_copy(const struct tbuf_script_sample *sample, uint8_t *to,
    uint64_t most)
{
	uint64_t n = sample != NULL ? MIN(sample->nframes, most) : 0, first;

	if (n == 0)
		return (0);
	memcpy(to, sample->frames, n * sizeof(uint64_t));
	/* The first frame is the program counter, not a return address. */
	first = sample->frames[0] | TBUF_FRAME_EXACT;
	memcpy(to, &first, sizeof(first));
	return (n);
}

int
tbuf_script_stack(struct tbuf_machine *m, uint64_t image, uint8_t *to,
    uint32_t *size)
{
	const uint64_t head[2] = { 0, image };

	if (*size < sizeof(head))
		return (TBUF_FAULT_ILLEGAL);
	memcpy(to, head, sizeof(head));
	*size = (uint32_t)(sizeof(head) + sizeof(uint64_t) *
	    frames_copy(tbuf_script_of(m)->sample, to + sizeof(head),
	    (*size - sizeof(head)) / sizeof(uint64_t)));
	return (0);
}

int
tbuf_script_frames(struct tbuf_machine *m, uint64_t address, uint64_t most)
{
	struct tbuf_span span;
	int answer = tbuf_memory_span(m, address, 0, &span);

	if (answer != 0)
		return (answer);
	if (!span.writable) {
		m->fault.address = address;
		return (TBUF_FAULT_ADDRESS);
	}
	most = MIN(most, span.size / sizeof(uint64_t));
	memset(span.at, 0, most * sizeof(uint64_t));
	(void)frames_copy(tbuf_script_of(m)->sample, span.at, most);
	return (0);
}
