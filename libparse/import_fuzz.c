/* The whole way of a dump, driven by a fuzzer: decoding and ordering alone, with what must hold of
 * their result; then an import into a store, and everything read back from it. No input may crash,
 * hang, or take memory out of proportion, and none may break an invariant (then we abort). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "import.h"
#include "open/input.h"
#include "order/trace.h"
#include "store/store.h"
#include "store/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct seen {
	const struct tp_trace *trace;
	int64_t last;
	uint64_t events;
};

static int check_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct seen *seen = ctx;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		const struct tp_event *e = &ev[i];

		MUST(!seen->events || e->ts >= seen->last);
		MUST(e->type < TP_NEVENT_TYPES && tp_event_descs[e->type].wire);
		MUST(e->from < TP_NSTATES && e->to < TP_NSTATES);
		MUST(e->g == TP_NONE || e->g < seen->trace->ng);
		MUST(e->m == TP_NONE || e->m < seen->trace->nm);
		MUST(e->p == TP_NONE || e->p < seen->trace->np);
		seen->last = e->ts;
		seen->events++;
	}
	return 0;
}

/* Decoding and ordering alone; returns the number of events. */
static uint64_t order(const uint8_t *data, size_t size, bool strict)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_trace trace;
	struct seen seen = {.trace = &trace};
	struct tp_sink sink = {.events = check_events, .ctx = &seen};
	struct tp_input *in;
	struct tp_err err;
	int code;

	if (tp_input_from_memory(&in, data, size, &err))
		return 0;
	code = tp_trace_read(in, &opt, &trace, &sink, &err);
	if (!code)
		MUST(trace.events == seen.events);
	if (!code && strict)
		MUST(!trace.inferred);
	if (code)
		MUST(code < 0 && err.msg[0]);
	tp_trace_release(&trace);
	tp_input_close(in);
	return seen.events;
}

/* A profile comes back from the store as it was read. */
static void read_profile_back(struct tp_store *s, const struct tp_import_result *r,
			      const uint8_t *data, size_t size)
{
	struct tp_profile *kept, *read;
	struct tp_err err;

	MUST(!tp_profile_load(s, r->run, &kept, &err));
	MUST((int64_t)kept->nsamples == r->events);
	/* What was packed is not what was imported. */
	if (tp_profile_read(data, size, NULL, &read, &err)) {
		tp_profile_free(kept);
		return;
	}
	MUST(kept->nsamples == read->nsamples && kept->ntypes == read->ntypes);
	MUST(kept->nsets == read->nsets && kept->nlabels == read->nlabels);
	MUST(kept->nmappings == read->nmappings && kept->ncomments == read->ncomments);
	MUST(tp_dict_stacks(kept->dict) == tp_dict_stacks(read->dict));
	MUST(!read->nsamples ||
	     !memcmp(kept->stack, read->stack, read->nsamples * sizeof(*read->stack)));
	for (size_t i = 0; i < read->nsamples * read->ntypes; i++)
		MUST(kept->value[i] == read->value[i]);
	tp_profile_free(kept);
	tp_profile_free(read);
}

static void read_back(const char *store, const struct tp_import_result *r, const uint8_t *data,
		      size_t size)
{
	struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_event_reader *reader;
	struct tp_dict *dict;
	struct tp_store *s;
	struct tp_err err;
	const struct tp_event *ev;
	int64_t events = 0;
	size_t n;
	int more;

	MUST(!tp_store_open(&s, store, &err));
	if (r->profile) {
		read_profile_back(s, r, data, size);
		tp_store_close(s);
		return;
	}
	MUST(!tp_dict_load(s, r->run, &dict, &err));
	for (int t = 0; t < TP_NTABLES; t++) {
		struct tp_rows rows;

		MUST(!tp_rows_load(s, r->run, (enum tp_table_id)t, 0, &rows, &err));
		tp_rows_release(&rows);
	}
	MUST(!tp_events_open(&reader, s, r->run, &all, &err));
	while ((more = tp_events_next(reader, &ev, &n, &err)) > 0)
		for (size_t i = 0; i < n; i++, events++)
			MUST(ev[i].stack < tp_dict_stacks(dict) &&
			     ev[i].str < tp_dict_strings(dict));
	MUST(more == 0 && events == r->events);
	tp_events_close(reader);
	tp_dict_free(dict);
	tp_store_close(s);
}

static void import(const uint8_t *data, size_t size)
{
	struct tp_import_options opt = {.threads = 1};
	struct tp_import_result result;
	struct tp_err err;
	char dir[] = "/dev/shm/tprof-fuzz-XXXXXX", store[64], dump[64];
	int fd = memfd_create("dump", MFD_CLOEXEC);

	MUST(fd >= 0 && mkdtemp(dir));
	MUST(write(fd, data, size) == (ssize_t)size);
	snprintf(dump, sizeof(dump), "/proc/self/fd/%d", fd);
	snprintf(store, sizeof(store), "%s/s.tprof", dir);
	if (!tp_import(dump, store, &opt, &result, &err))
		read_back(store, &result, data, size);
	else
		MUST(access(store, F_OK) != 0); /* a failed import leaves nothing */
	unlink(store);
	MUST(!rmdir(dir)); /* nor beside it */
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_recognition seen;
	struct tp_err err;

	if (!tp_recognise(data, size, &seen, &err) &&
	    (seen.format == TP_FORMAT_TRACE_V1 || seen.format == TP_FORMAT_TRACE_V2)) {
		order(data, size, false);
		order(data, size, true);
	}
	import(data, size);
	return 0;
}
