#include "diff/trace/set.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "decode/dict.h"
#include "name.h"

int rep_set_new(struct rep_metrics **out, const int64_t *edge, size_t windows, struct tp_err *err)
{
	struct rep_metrics *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m || !(m->names = tp_dict_new())) {
		free(m);
		return tp_nomem(err);
	}
	if (windows > REP_METRICS_WINDOWS)
		windows = REP_METRICS_WINDOWS;
	memcpy(m->edge, edge, (windows + 1) * sizeof(*edge));
	m->base.windows = windows;
	m->base.length_ns = tp_minus(edge[windows], edge[0]);
	m->last_cell = UINT32_MAX;
	*out = m;
	return 0;
}

void rep_metrics_free(struct rep_metrics *m)
{
	if (!m)
		return;
	tp_dict_free(m->names);
	free(m->shown);
	tp_buf_release(&m->scratch);
	rep_keys_release(&m->cells);
	rep_keys_release(&m->pairs);
	free(m->sum);
	rep_dist_release(&m->durations);
	free(m->first_item);
	free(m->pair);
	free(m->first_pair);
	free(m->measure);
	free(m->cell);
	free(m);
}

size_t rep_set_window_find(const struct rep_metrics *m, int64_t ns)
{
	size_t low = 0, high = m->base.windows;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (ns >= m->edge[mid])
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Remembers which name a canonical one stood for. */
static int show_as(struct rep_metrics *m, uint32_t name, const char *text, size_t size)
{
	uint32_t own;
	int code = tp_dict_string(m->names, text, size, &own);

	if (!code)
		code = tp_grow(&m->shown, &m->shown_room, name, sizeof(*m->shown));
	if (code)
		return code;
	if (!m->shown[name])
		m->shown[name] = own + 1;
	else if (m->shown[name] != own + 1)
		m->shown[name] = UINT32_MAX;
	return 0;
}

uint32_t rep_set_name(struct rep_metrics *m, const char *text, size_t size, bool canonical)
{
	uint32_t name = 0;

	if (m->code)
		return 0;
	if (!canonical) {
		m->code = tp_dict_string(m->names, text, size, &name);
		return name;
	}
	m->scratch.size = 0;
	m->code = rep_name_canonical(&m->scratch, REP_NAME_FUNCTION, text, size);
	if (!m->code)
		m->code = tp_dict_string(m->names, m->scratch.data, m->scratch.size, &name);
	if (!m->code)
		m->code = show_as(m, name, text, size);
	return name;
}

uint32_t rep_set_cell(struct rep_metrics *m, enum rep_family family, uint32_t entry, uint32_t name,
		      uint32_t function)
{
	uint32_t cell = 0;

	if (!m->code)
		m->code = rep_keys_add(&m->cells, (uint32_t)family, entry, name, function, &cell);
	return cell;
}

#define SEARCHED 65536 /* durations of a window that are searched for equal ones, at least */

/* Sets last_pair to a cell and a window. Returns its sum, or NULL once something has failed. */
static struct rep_set_sum *find_sum(struct rep_metrics *m, uint32_t cell, size_t window)
{
	if (m->code)
		return NULL;
	if (!m->sum || cell != m->last_cell || window != m->last_window) {
		/* Rows come in the order of time, so durations of windows before hardly come again: if
		 * one does, it is another item. The table would take as much memory as the items. */
		if (window != m->last_window && m->durations.table.n > SEARCHED)
			tp_table_clear(&m->durations.table);
		m->code = rep_keys_add(&m->pairs, cell, (uint32_t)window, 0, 0, &m->last_pair);
		if (!m->code)
			m->code = tp_grow(&m->sum, &m->sum_room, m->last_pair, sizeof(*m->sum));
		if (m->code)
			return NULL;
		m->last_cell = cell;
		m->last_window = (uint32_t)window;
	}
	return &m->sum[m->last_pair];
}

void rep_set_time(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns)
{
	struct rep_set_sum *sum = find_sum(m, cell, window);

	if (sum)
		tp_sum(&sum->total_ns, ns);
}

void rep_set_events(struct rep_metrics *m, uint32_t cell, size_t window, int64_t count,
		    int64_t whole_ns, int64_t max_ns)
{
	struct rep_set_sum *sum = find_sum(m, cell, window);

	if (!sum)
		return;
	tp_sum(&sum->count, count);
	tp_sum(&sum->whole_ns, whole_ns);
	if (max_ns > sum->max_ns)
		sum->max_ns = max_ns;
}

void rep_set_duration(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns)
{
	if (find_sum(m, cell, window))
		m->code = rep_dist_put(&m->durations, m->last_pair, ns);
}

void rep_set_bucket(struct rep_metrics *m, uint32_t cell, size_t window, int64_t bucket,
		    int64_t count)
{
	if (bucket >= 0 && bucket < TP_HIST_BUCKETS && find_sum(m, cell, window))
		m->code = rep_dist_put_bucket(&m->durations, m->last_pair, (int)bucket, count);
}

void rep_set_put(struct rep_metrics *m, uint32_t cell, size_t window, int64_t ns)
{
	rep_set_time(m, cell, window, ns);
	rep_set_events(m, cell, window, 1, ns, ns);
	rep_set_duration(m, cell, window, ns);
}

/* ---- some windows of it ---- */

static int copy_names(const struct rep_metrics *m, struct rep_metrics *p)
{
	uint32_t n = tp_dict_strings(m->names), id;
	int code = 0;

	for (uint32_t i = tp_dict_strings(p->names); !code && i < n; i++) {
		struct tp_text t = tp_dict_text(m->names, i);

		code = tp_dict_append_string(p->names, t.text, t.size, &id);
	}
	if (!code && m->shown_room) {
		p->shown = tp_many(m->shown_room, sizeof(*p->shown));
		if (!p->shown)
			return TP_ENOMEM;
		memcpy(p->shown, m->shown, m->shown_room * sizeof(*p->shown));
		p->shown_room = m->shown_room;
	}
	return code;
}

int rep_set_part(const struct rep_metrics *m, const bool *use, struct rep_metrics **part,
		 struct tp_err *err)
{
	int64_t edge[REP_METRICS_WINDOWS + 1] = {0};
	size_t window[REP_METRICS_WINDOWS] = {0}, n = 0;
	struct rep_metrics *p = NULL;
	int code;

	/* Laid end to end: lengths are what matters. */
	for (size_t w = 0; w < m->base.windows; w++) {
		if (!use[w])
			continue;
		window[w] = n++;
		edge[n] = edge[n - 1] + (m->edge[w + 1] - m->edge[w]);
	}
	code = rep_set_new(&p, edge, n ? n : 1, err);
	if (code)
		return code;
	p->code = copy_names(m, p);
	for (size_t i = 0; i < m->cells.n; i++) {
		const uint32_t *c = m->cells.key[i].part;

		rep_set_cell(p, (enum rep_family)c[0], c[1], c[2], c[3]);
	}
	for (size_t i = 0; i < m->pairs.n; i++) {
		const uint32_t *pair = m->pairs.key[i].part;

		if (!use[pair[1]])
			continue;
		rep_set_time(p, pair[0], window[pair[1]], m->sum[i].total_ns);
		rep_set_events(p, pair[0], window[pair[1]], m->sum[i].count, m->sum[i].whole_ns,
			       m->sum[i].max_ns);
	}
	for (size_t i = 0; i < m->durations.n; i++) {
		const uint32_t *pair = m->pairs.key[m->durations.item[i].owner].part;

		if (use[pair[1]] && find_sum(p, pair[0], window[pair[1]]))
			p->code =
			    rep_dist_put_item(&p->durations, p->last_pair, &m->durations.item[i]);
	}
	code = rep_set_solve(p, err);
	if (!code) {
		p->base.ticks = m->base.ticks;
		*part = p;
		return 0;
	}
	rep_metrics_free(p);
	*part = NULL;
	return code;
}
