/* From cells to measures: sums, percentiles, order. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "decode/dict.h"
#include "diff/trace/set.h"
#include "dist.h"

const double rep_measure_quantile[REP_NMEASURE_P] = {0.50, 0.90, 0.95, 0.99};

/* The measures that a cell belongs to: name by name. */
static size_t measures_of(const struct rep_metrics *m, size_t cell,
			  struct rep_key out[REP_NMEASURE_BY])
{
	const uint32_t *part = m->cells.key[cell].part;
	const uint32_t entry = part[1], name = part[2], function = part[3];
	size_t n = 0;
	bool all = true;

#define MEASURE(by, id)                                                                            \
	out[n++] = (struct rep_key)                                                                \
	{                                                                                          \
		{                                                                                  \
			part[0], (uint32_t)(by), (id), 0                                           \
		}                                                                                  \
	}
	switch ((enum rep_family)part[0]) {
	case REP_FAMILY_SCHED:
	case REP_FAMILY_RUN:
	case REP_FAMILY_GROUP:
		MEASURE(REP_MEASURE_ENTRY, entry);
		break;
	case REP_FAMILY_BLOCK:
		MEASURE(REP_MEASURE_ENTRY, entry);
		MEASURE(REP_MEASURE_REASON, name);
		break;
	case REP_FAMILY_SYSCALL:
		MEASURE(REP_MEASURE_ENTRY, entry);
		MEASURE(REP_MEASURE_FUNCTION, function);
		break;
	case REP_FAMILY_CPU:
		MEASURE(REP_MEASURE_FUNCTION, function);
		break;
	case REP_FAMILY_GC:
		/* Name 0 are mark phases: the others are no part of them. */
		all = !name;
		if (name)
			MEASURE(REP_MEASURE_TYPE, name);
		break;
	default:
		MEASURE(REP_MEASURE_TYPE, name);
		break;
	}
	if (all)
		MEASURE(REP_MEASURE_ALL, 0);
#undef MEASURE
	return n;
}

static int find_measures(struct rep_metrics *m, struct rep_keys *keys)
{
	struct rep_key k[REP_NMEASURE_BY];
	uint32_t index;
	int code = 0;

	/* Once to count, once to place. */
	for (size_t c = 0; !code && c < m->cells.n; c++)
		for (size_t i = measures_of(m, c, k); !code && i-- > 0;)
			code =
			    rep_keys_add(keys, k[i].part[0], k[i].part[1], k[i].part[2], 0, &index);
	if (code)
		return code;
	m->n = keys->n;
	m->measure = calloc(m->n + 1, sizeof(*m->measure));
	m->cell = tp_many(m->cells.n * REP_NMEASURE_BY + 1, sizeof(*m->cell));
	if (!m->measure || !m->cell)
		return TP_ENOMEM;
	for (int place = 0; place < 2; place++) {
		for (size_t c = 0; c < m->cells.n; c++)
			for (size_t i = measures_of(m, c, k); i-- > 0;) {
				if (!rep_keys_find(keys, k[i].part[0], k[i].part[1], k[i].part[2],
						   0, &index))
					continue;
				if (place)
					m->cell[m->measure[index].first +
						m->measure[index].ncells] = (uint32_t)c;
				m->measure[index].ncells++;
			}
		for (size_t i = 0, at = 0; !place && i < m->n; i++) {
			m->measure[i].first = at;
			at += m->measure[i].ncells;
			m->measure[i].ncells = 0;
		}
	}
	return 0;
}

/* Sorts items and pairs by cell: counting sorts. */
static int sort_by_cell(struct rep_metrics *m)
{
	uint32_t *cell_of = tp_many(m->pairs.n + 1, sizeof(*cell_of)); /* by pair */
	int code = TP_ENOMEM;

	m->first_item = calloc(m->cells.n + 2, sizeof(*m->first_item));
	m->first_pair = calloc(m->cells.n + 2, sizeof(*m->first_pair));
	m->pair = tp_many(m->pairs.n + 1, sizeof(*m->pair));
	if (!cell_of || !m->first_item || !m->first_pair || !m->pair)
		goto done;
	for (size_t i = 0; i < m->pairs.n; i++)
		cell_of[i] = m->pairs.key[i].part[0];
	code = rep_dist_group(&m->durations, cell_of, m->first_item, m->cells.n);
	for (size_t i = 0; i < m->pairs.n; i++)
		m->first_pair[cell_of[i] + 1]++;
	for (size_t i = 0; i < m->cells.n; i++)
		m->first_pair[i + 1] += m->first_pair[i];
	for (size_t i = 0; i < m->pairs.n; i++)
		m->pair[m->first_pair[cell_of[i]]++] = (uint32_t)i;
	/* Each start is now the end, which is where the next one begins. */
	memmove(m->first_pair + 1, m->first_pair, (m->cells.n + 1) * sizeof(*m->first_pair));
	m->first_pair[0] = 0;
done:
	free(cell_of);
	return code;
}

static const char *name_of(const struct rep_metrics *m, uint32_t name, bool shown)
{
	if (shown && name < m->shown_room && m->shown[name] && m->shown[name] != UINT32_MAX)
		name = m->shown[name] - 1;
	return tp_dict_text(m->names, name).text;
}

static void add_sums(struct rep_metrics *m, struct rep_measure *x)
{
	for (size_t c = x->first; c < x->first + x->ncells; c++) {
		size_t cell = m->cell[c];

		for (size_t k = m->first_pair[cell]; k < m->first_pair[cell + 1]; k++) {
			const struct rep_set_sum *s = &m->sum[m->pair[k]];

			tp_sum(&x->count, s->count);
			tp_sum(&x->total_ns, s->total_ns);
			tp_sum(&x->whole_ns, s->whole_ns);
			if (s->max_ns > x->max_ns)
				x->max_ns = s->max_ns;
		}
	}
}

void rep_set_count(struct tp_hist *hist, const struct rep_dist_item *item)
{
	tp_hist_add(hist, (int)rep_dist_bucket(item), (uint64_t)item->count);
}

static int percentiles(const struct rep_metrics *m, struct rep_measure *x, struct tp_hist *hist)
{
	const struct rep_dist_list items = {m->durations.item, m->first_item, m->cell + x->first,
					    x->ncells};
	bool any = false;

	x->exact = true;
	for (int k = 0; k < REP_NMEASURE_P; k++)
		x->p[k] = TP_NULL;
	REP_SET_ITEMS(m, x, c, k)
	{
		x->exact = x->exact && m->durations.item[k].bucket == TP_HIST_BUCKETS;
		any = true;
	}
	if (!any)
		return 0;
	if (x->exact)
		return rep_dist_quantiles(&items, rep_measure_quantile, REP_NMEASURE_P, x->p);
	memset(hist, 0, sizeof(*hist));
	REP_SET_ITEMS(m, x, c, k)
	rep_set_count(hist, &m->durations.item[k]);
	for (int k = 0; k < REP_NMEASURE_P; k++) {
		x->p[k] = (int64_t)tp_hist_quantile(hist, rep_measure_quantile[k]);
		if (x->p[k] > x->max_ns)
			x->p[k] = x->max_ns;
	}
	return 0;
}

/* ---- order ---- */

static int by_rank(const void *a, const void *b)
{
	const struct rep_measure *x = a, *y = b;
	int64_t of_x = x->family == REP_FAMILY_CPU ? x->count : x->total_ns;
	int64_t of_y = y->family == REP_FAMILY_CPU ? y->count : y->total_ns;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return strcmp(x->key, y->key);
}

void rep_set_windows(const struct rep_metrics *m, const struct rep_measure *x,
		     struct rep_set_windows *w)
{
	memset(w, 0, sizeof(*w));
	for (size_t c = x->first; c < x->first + x->ncells; c++) {
		size_t cell = m->cell[c];

		for (size_t k = m->first_pair[cell]; k < m->first_pair[cell + 1]; k++) {
			const struct rep_set_sum *s = &m->sum[m->pair[k]];
			uint32_t window = m->pairs.key[m->pair[k]].part[1];

			w->count[window] += (double)s->count;
			w->total[window] += (double)s->total_ns;
			w->whole[window] += (double)s->whole_ns;
		}
	}
}

static void find_families(struct rep_metrics *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct rep_measure *x = &m->measure[i];

		if (x->by != REP_MEASURE_ALL)
			continue;
		m->all[x->family] = x;
		rep_set_windows(m, x, &m->family[x->family]);
	}
}

static int solve(struct rep_metrics *m)
{
	struct tp_hist *hist = malloc(sizeof(*hist));
	struct rep_keys keys = {0};
	int code = hist ? find_measures(m, &keys) : TP_ENOMEM;

	if (!code)
		code = sort_by_cell(m);
	for (size_t i = 0; !code && keys.key && i < m->n; i++) {
		struct rep_measure *x = &m->measure[i];

		x->family = (enum rep_family)keys.key[i].part[0];
		x->by = (enum rep_measure_by)keys.key[i].part[1];
		x->key = name_of(m, keys.key[i].part[2], false);
		x->name = name_of(m, keys.key[i].part[2], true);
		add_sums(m, x);
		code = percentiles(m, x, hist);
		if (x->family == REP_FAMILY_TASK && x->by == REP_MEASURE_ALL)
			m->base.tasks = x->count;
	}
	free(hist);
	rep_keys_release(&keys);
	if (code)
		return code;
	qsort(m->measure, m->n, sizeof(*m->measure), by_rank);
	find_families(m);
	return 0;
}

int rep_set_solve(struct rep_metrics *m, struct tp_err *err)
{
	int code = m->code ? m->code : solve(m);

	return code ? tp_err_full(err, code, "the run has too many names") : 0;
}
