/* Go's texts (debug=1), and the list of mapped files, which C++ programs put behind them so that
 * names can be found later. Facts: runtime/pprof/pprof.go (writeHeapInternal,
 * writeProfileInternal, printCountProfile).
 *
 *	heap profile: INUSE: BYTES [ALLOCATED: BYTES] @ heap/TWICE THE RATE
 *	INUSE: BYTES [ALLOCATED: BYTES] @ 0x… 0x…           sorted by bytes in use
 *	#	0x…	name+0x…	file:line
 *
 *	--- contention:   or   --- mutex:
 *	cycles/second=1000000000                            a cycle is 1 ns
 *	sampling period=FRACTION                            mutex only
 *	CYCLES COUNT @ 0x… 0x…                              sorted by cycles, most first
 *
 *	KIND profile: total N
 *	COUNT @ 0x… 0x…                                     sorted by count, then as text
 *	# labels: {"key":"value"}
 *
 * Threads that wait at the same place under the same name are one line; their numbers, which would
 * make each a line of its own, are in profile.proto only.
 *
 * Readers multiply by the sampling period. From go 1.26 on the counts are whole already, so the
 * period is 1 then: Go still writes the fraction there, and is read as that much too large. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/listing.h"
#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/profile/text_stack.h"

/* ---- heap ---- */

static int by_inuse(const void *a, const void *b)
{
	const struct rec_row *x = a, *y = b;

	return (x->value[3] > y->value[3]) - (x->value[3] < y->value[3]);
}

/* Writes what follows the values of a row. */
static void put_stack(struct rec_texts *t, const struct rec_row *r)
{
	rec_text_load(t, r);
	rec_text_addresses(t);
	rec_text_put(t, "\n");
	rec_text_frames(t, r);
}

static void put_heap(struct rec_texts *t, struct rec_rows *rows)
{
	const struct rec_options *o = &t->p->arena.header->options;
	uint64_t total[4] = {0};

	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_inuse);
	for (size_t i = 0; i < rows->n; i++)
		for (size_t k = 0; k < 4; k++)
			total[k] += (uint64_t)rows->row[i].value[k];
	/* Go: equal sums would make pprof take it for a profile of two columns. */
	if (total[1] == total[3])
		total[1]++;
	rec_text_put(t, "heap profile: %lld: %lld [%lld: %lld] @ heap/%llu\n", (long long)total[2],
		     (long long)total[3], (long long)total[0], (long long)total[1],
		     (unsigned long long)o->heap_rate * 2);
	for (size_t i = 0; i < rows->n && !t->code; i++) {
		const struct rec_row *r = &rows->row[i];

		rec_text_put(t, "%lld: %lld [%lld: %lld] @", (long long)r->value[2],
			     (long long)r->value[3], (long long)r->value[0],
			     (long long)r->value[1]);
		put_stack(t, r);
	}
}

/* ---- block and mutex ---- */

static void put_contention(struct rec_texts *t, struct rec_rows *rows, bool mutex)
{
	const struct rec_options *o = &t->p->arena.header->options;

	rec_text_put(t, "--- %s:\ncycles/second=1000000000\n", mutex ? "mutex" : "contention");
	if (mutex)
		rec_text_put(t, "sampling period=%llu\n",
			     o->profiler < 126 && o->mutex_fraction
				 ? (unsigned long long)o->mutex_fraction
				 : 1);
	for (size_t i = 0; i < rows->n && !t->code; i++) {
		const struct rec_row *r = &rows->row[i];

		rec_text_put(t, "%lld %lld @", (long long)r->value[1], (long long)r->value[0]);
		put_stack(t, r);
	}
}

/* ---- threads ---- */

static int compare_texts(const void *a, const void *b)
{
	const struct tp_buf *x = a, *y = b;

	return strcmp((const char *)x->data, (const char *)y->data);
}

static int add_label(struct tp_buf *to, const char *key, const char *value)
{
	int code = tp_quote(to, key, strlen(key));

	if (!code)
		code = tp_buf_put(to, ":", 1);
	if (!code)
		code = tp_quote(to, value, strlen(value));
	return code ? code : tp_buf_put(to, "", 1);
}

/* Sorted, as Go's labelMap.String has them: name, state, and those of the program. */
static void put_labels(struct rec_texts *t, const struct rec_row *row)
{
	const uint32_t *own;
	struct tp_buf *label;
	size_t nown, n = 0;

	own = rec_process_labels(t->p, row->g->labels, &nown);
	label = calloc(nown + 2, sizeof(*label));
	if (!label) {
		t->code = TP_ENOMEM;
		return;
	}
	if (*row->g->name)
		t->code = add_label(&label[n++], "name", row->g->name);
	if (!t->code)
		t->code = add_label(&label[n++], "state", row->state);
	for (size_t i = 0; i < nown && !t->code; i++)
		t->code = add_label(&label[n++], rec_process_string(t->p, own[2 * i]),
				    rec_process_string(t->p, own[2 * i + 1]));
	if (!t->code)
		qsort(label, n, sizeof(*label), compare_texts);
	rec_text_put(t, "\n# labels: {");
	for (size_t i = 0; i < n; i++) {
		rec_text_put(t, "%s%s", i ? ", " : "", t->code ? "" : (char *)label[i].data);
		tp_buf_release(&label[i]);
	}
	rec_text_put(t, "}");
	free(label);
}

/* Rows that look the same. */
struct group {
	char *key; /* the sample's line behind its count, with its labels */
	const struct rec_row *row;
	int64_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return by_key(a, b);
}

static char *key_of(struct rec_texts *t, const struct rec_row *row)
{
	struct tp_buf key = {0}, *out = t->out;

	rec_text_load(t, row);
	t->out = &key;
	rec_text_put(t, "@");
	rec_text_addresses(t);
	if (row->g && !t->code)
		put_labels(t, row);
	if (!t->code)
		t->code = tp_buf_put(&key, "", 1);
	t->out = out;
	return (char *)key.data;
}

static size_t make_groups(struct rec_texts *t, struct rec_rows *rows, struct group *group)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n && !t->code; i++, n++)
		group[n] =
		    (struct group){key_of(t, &rows->row[i]), &rows->row[i], rows->row[i].value[0]};
	return n;
}

/* Those with equal keys into the first; how many there are then. */
static size_t merge_groups(struct group *group, size_t n)
{
	size_t last = 0;

	qsort(group, n, sizeof(*group), by_key);
	for (size_t i = 1; i < n; i++) {
		if (!by_key(&group[last], &group[i])) {
			group[last].count += group[i].count;
			free(group[i].key);
		} else {
			group[++last] = group[i];
		}
	}
	qsort(group, last + 1, sizeof(*group), by_count);
	return last + 1;
}

static void put_counts(struct rec_texts *t, struct rec_rows *rows, const char *name)
{
	struct group *group = calloc(rows->n ? rows->n : 1, sizeof(*group));
	long long total = 0;
	size_t n;

	if (!group) {
		t->code = TP_ENOMEM;
		return;
	}
	n = make_groups(t, rows, group);
	if (n && !t->code)
		n = merge_groups(group, n);
	for (size_t i = 0; i < n; i++)
		total += group[i].count;
	rec_text_put(t, "%s profile: total %lld\n", name, total);
	for (size_t i = 0; i < n; i++) {
		rec_text_put(t, "%lld %s\n", (long long)group[i].count,
			     t->code ? "" : group[i].key);
		rec_text_load(t, group[i].row);
		rec_text_frames(t, group[i].row);
		free(group[i].key);
	}
	free(group);
}

/* ---- mapped files ---- */

/* Another file lies there by now. */
static bool is_replaced(const struct rec_arena *a, uint32_t i)
{
	const struct rec_module *m = &a->modules[i];

	for (uint32_t k = 0; k < a->header->modules.used && m->gone; k++) {
		if (!a->modules[k].gone && a->modules[k].start < m->limit &&
		    m->start < a->modules[k].limit)
			return true;
	}
	return false;
}

/* Writes lines as in /proc/PID/maps; readers do not use device and inode. */
static void put_maps(struct rec_texts *t, const char *head)
{
	const struct rec_arena *a = &t->p->arena;

	rec_text_put(t, "%s\n", head);
	for (uint32_t i = 0; i < a->header->modules.used; i++) {
		const struct rec_module *m = &a->modules[i];

		if (is_replaced(a, i))
			continue;
		rec_text_put(t, "%08llx-%08llx r-xp %08llx 00:00 0 ", (unsigned long long)m->start,
			     (unsigned long long)m->limit, (unsigned long long)m->offset);
		for (const char *c = rec_process_string(t->p, m->file); *c; c++)
			rec_text_put(t, "%c", (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c);
		rec_text_put(t, "\n");
	}
}

int rec_profile_text(const struct rec_process *p, enum rec_profile_kind kind,
		     const struct rec_live *live, struct tp_buf *out, struct tp_err *err)
{
	struct rec_texts t = {.p = p, .out = out};
	struct tp_dict *dict = tp_dict_new();
	struct rec_rows rows = {0};
	int code = dict ? rec_names_new(&t.names, p, dict, false, err) : tp_nomem(err);

	if (!code)
		code = rec_rows_gather(&rows, p, kind, live, t.names, err);
	if (!code) {
		rec_rows_sort_waits(&rows, kind);
		if (kind == REC_PROFILE_HEAP)
			put_heap(&t, &rows);
		else if (kind == REC_PROFILE_BLOCK || kind == REC_PROFILE_MUTEX)
			put_contention(&t, &rows, kind == REC_PROFILE_MUTEX);
		else
			put_counts(&t, &rows, rec_profile_name(kind));
		put_maps(&t,
			 kind == REC_PROFILE_HEAP ? "MAPPED_LIBRARIES:" : "--- Memory map: ---");
		if (t.code)
			code = tp_nomem(err);
	}
	rec_rows_release(&rows);
	tp_buf_release(&t.scratch);
	rec_names_free(t.names);
	tp_dict_free(dict);
	return code;
}
