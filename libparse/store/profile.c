/* Writes profiles as packed tables beside the dictionary, and loads them. Stored numbers are not
 * trusted: each is checked before it is used as an index. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/dictfile.h"
#include "store/rows.h"
#include "store/writer.h"

/* ---- writing ---- */

static int put_header(struct tp_store_run *run, const struct tp_profile *p, struct tp_err *err)
{
	int code = tp_store_put_row(run, TP_TABLE_PROFILE,
				    (int64_t[]){p->period_type.type, p->period_type.unit, p->period,
						p->time_ns ? p->time_ns : TP_NULL, p->duration_ns,
						p->default_type, p->drop_frames, p->keep_frames,
						p->doc_url},
				    err);

	for (size_t i = 0; i < p->ntypes && !code; i++)
		code = tp_store_put_row(run, TP_TABLE_SAMPLE_TYPE,
					(int64_t[]){p->types[i].type, p->types[i].unit}, err);
	for (size_t i = 0; i < p->nmappings && !code; i++) {
		const struct tp_mapping *m = &p->mappings[i];

		code = tp_store_put_row(run, TP_TABLE_MAPPING,
					(int64_t[]){(int64_t)m->start, (int64_t)m->limit,
						    (int64_t)m->offset, m->file, m->build_id,
						    m->flags},
					err);
	}
	for (size_t i = 0; i < p->ncomments && !code; i++)
		code = tp_store_put_row(run, TP_TABLE_COMMENT, (int64_t[]){p->comments[i]}, err);
	for (size_t i = 0; i < p->ncounters && !code; i++) {
		const struct tp_counter *c = &p->counters[i];

		code = tp_store_put_row(run, TP_TABLE_COUNTER,
					(int64_t[]){c->name, c->item, c->value, c->text}, err);
	}
	return code;
}

static int put_buckets(struct tp_store_run *run, const struct tp_profile *p, struct tp_err *err)
{
	int code = 0;

	for (size_t s = 1; s < p->nsets && !code; s++) {
		for (uint32_t i = 0; i < p->sets[s].n && !code; i++) {
			const struct tp_label *l = &p->labels[p->sets[s].first + i];

			code = tp_store_put_row(run, TP_TABLE_BUCKET_LABEL,
						(int64_t[]){(int64_t)s, l->key,
							    l->numeric ? TP_NULL : l->text,
							    l->numeric ? l->number : TP_NULL,
							    l->numeric ? l->unit : TP_NULL},
						err);
		}
	}
	for (size_t i = 0; i < p->nsamples && !code; i++)
		code = tp_store_put_row(run, TP_TABLE_BUCKET,
					(int64_t[]){p->stack[i], p->label_set[i]}, err);
	for (size_t t = 0; t < p->ntypes; t++)
		for (size_t i = 0; i < p->nsamples && !code; i++)
			code = tp_store_put_row(
			    run, TP_TABLE_BUCKET_VALUE,
			    (int64_t[]){(int64_t)t, (int64_t)i, p->value[i * p->ntypes + t]}, err);
	return code;
}

int tp_store_put_profile(struct tp_store_run *run, const struct tp_profile *p, struct tp_err *err)
{
	int code = tp_dictfile_put(run, p->dict, err);

	if (!code)
		code = put_header(run, p, err);
	if (!code)
		code = put_buckets(run, p, err);
	return code ? code
		    : tp_run_put_ledger(run, p->losses, p->nlosses, p->notices, p->nnotices, err);
}

/* ---- reading ---- */

/* A run that is being loaded: its profile, and the current table. */
struct reading {
	struct tp_store *store;
	int64_t run;
	struct tp_profile *p;
	struct tp_rows rows;
	struct tp_err *err;
};

static int damaged(struct reading *r, const char *what)
{
	return tp_err_set(r->err, TP_ESTORE, TP_OFFSET_NONE, "run %lld, table %s is damaged: %s",
			  (long long)r->run, tp_tables[r->rows.table].name, what);
}

static int load(struct reading *r, enum tp_table_id table, uint32_t columns)
{
	tp_rows_release(&r->rows);
	return tp_rows_load(r->store, r->run, table, columns, &r->rows, r->err);
}

/* Returns a string of a column; unknown strings and NULL become the empty string. */
static uint32_t string_at(const struct reading *r, int column, size_t row)
{
	int64_t v = r->rows.col[column][row];

	return v > 0 && v < tp_dict_strings(r->p->dict) ? (uint32_t)v : 0;
}

static int checked(struct reading *r, int code)
{
	return code == TP_ENOMEM ? tp_nomem(r->err) : code ? damaged(r, "it is too large") : 0;
}

static int load_header(struct reading *r)
{
	struct tp_profile *p = r->p;
	int64_t *const *c = r->rows.col;
	int code = load(r, TP_TABLE_PROFILE, 0);

	if (code)
		return code;
	if (r->rows.nrows != 1)
		return damaged(r, "it must have one row");
	p->period_type.type = string_at(r, TP_COL(PROFILE, period_type), 0);
	p->period_type.unit = string_at(r, TP_COL(PROFILE, period_unit), 0);
	p->period = c[TP_COL(PROFILE, period)][0];
	p->time_ns = c[TP_COL(PROFILE, time_ns)][0];
	if (p->time_ns == TP_NULL)
		p->time_ns = 0;
	p->duration_ns = c[TP_COL(PROFILE, duration_ns)][0];
	p->default_type = string_at(r, TP_COL(PROFILE, default_type), 0);
	p->drop_frames = string_at(r, TP_COL(PROFILE, drop_frames), 0);
	p->keep_frames = string_at(r, TP_COL(PROFILE, keep_frames), 0);
	p->doc_url = string_at(r, TP_COL(PROFILE, doc_url), 0);
	return 0;
}

static int load_types(struct reading *r)
{
	int code = load(r, TP_TABLE_SAMPLE_TYPE, 0);

	for (size_t i = 0; !code && i < r->rows.nrows; i++)
		code =
		    checked(r, tp_profile_add_type(r->p, string_at(r, 0, i), string_at(r, 1, i)));
	return code;
}

static int load_mappings(struct reading *r)
{
	int code = load(r, TP_TABLE_MAPPING, 0);
	int64_t *const *c = r->rows.col;

	for (size_t i = 0; !code && i < r->rows.nrows; i++) {
		struct tp_mapping m = {
		    .start = (uint64_t)c[TP_COL(MAPPING, start_address)][i],
		    .limit = (uint64_t)c[TP_COL(MAPPING, end_address)][i],
		    .offset = (uint64_t)c[TP_COL(MAPPING, file_offset)][i],
		    .file = string_at(r, TP_COL(MAPPING, file), i),
		    .build_id = string_at(r, TP_COL(MAPPING, build_id), i),
		    .flags = (uint32_t)c[TP_COL(MAPPING, flags)][i],
		};
		uint32_t number;

		code = checked(r, tp_profile_add_mapping(r->p, &m, &number));
	}
	return code;
}

/* Locations were loaded with the dictionary, before the mappings that they refer to. */
static int check_locations(struct reading *r)
{
	const struct tp_profile *p = r->p;

	for (uint32_t i = 0; i < tp_dict_locations(p->dict); i++)
		if (tp_dict_location_at(p->dict, i).mapping > p->nmappings)
			return damaged(r, "a location has an unknown mapping");
	return 0;
}

static int load_comments(struct reading *r)
{
	int code = load(r, TP_TABLE_COMMENT, 0);

	for (size_t i = 0; !code && i < r->rows.nrows; i++)
		code = checked(r, tp_profile_add_comment(r->p, string_at(r, 0, i)));
	return code;
}

static int load_counters(struct reading *r)
{
	int code = load(r, TP_TABLE_COUNTER, 0);

	for (size_t i = 0; !code && i < r->rows.nrows; i++) {
		struct tp_counter c = {
		    .name = string_at(r, TP_COL(COUNTER, name), i),
		    .item = r->rows.col[TP_COL(COUNTER, item)][i],
		    .value = r->rows.col[TP_COL(COUNTER, value)][i],
		    .text = string_at(r, TP_COL(COUNTER, text), i),
		};

		code = checked(r, tp_profile_add_counter(r->p, &c));
	}
	return code;
}

/* Rows of one set are together, and sets in order from 1 on, so interning gives them the same
 * numbers again. */
static int load_labels(struct reading *r)
{
	int code = load(r, TP_TABLE_BUCKET_LABEL, 0);
	int64_t *const *c = r->rows.col;
	struct tp_label *labels;

	if (code || !r->rows.nrows)
		return code;
	labels = calloc(r->rows.nrows, sizeof(*labels));
	if (!labels)
		return tp_nomem(r->err);
	for (size_t i = 0, end; !code && i < r->rows.nrows; i = end) {
		int64_t set = c[TP_COL(BUCKET_LABEL, labels)][i];
		uint32_t id = 0;

		for (end = i; end < r->rows.nrows && c[TP_COL(BUCKET_LABEL, labels)][end] == set;
		     end++)
			labels[end - i] = (struct tp_label){
			    .key = string_at(r, TP_COL(BUCKET_LABEL, key), end),
			    .numeric = c[TP_COL(BUCKET_LABEL, number)][end] != TP_NULL ||
				       c[TP_COL(BUCKET_LABEL, unit)][end] != TP_NULL,
			    .text = string_at(r, TP_COL(BUCKET_LABEL, text), end),
			    .number = c[TP_COL(BUCKET_LABEL, number)][end],
			    .unit = string_at(r, TP_COL(BUCKET_LABEL, unit), end),
			};
		code = checked(r, tp_profile_label_set(r->p, labels, end - i, &id));
		if (!code && id != set)
			code = damaged(r, "its sets of labels are not in order");
	}
	free(labels);
	return code;
}

static int load_buckets(struct reading *r)
{
	struct tp_profile *p = r->p;
	struct tp_rows values = {0};
	int64_t *one = NULL;
	int code = tp_rows_load(r->store, r->run, TP_TABLE_BUCKET_VALUE,
				1u << TP_COL(BUCKET_VALUE, value), &values, r->err);
	size_t n;

	if (!code)
		code = load(r, TP_TABLE_BUCKET, 0);
	if (code)
		goto done;
	n = r->rows.nrows;
	if ((p->ntypes && values.nrows / p->ntypes != n) || values.nrows != n * p->ntypes) {
		code = damaged(r, "buckets do not have one value of each type");
		goto done;
	}
	one = calloc(p->ntypes + 1, sizeof(*one));
	if (!one)
		code = tp_nomem(r->err);
	for (size_t i = 0; i < n && !code; i++) {
		int64_t stack = r->rows.col[TP_COL(BUCKET, stack)][i];
		int64_t set = r->rows.col[TP_COL(BUCKET, labels)][i];

		if (stack < 0 || stack >= tp_dict_stacks(p->dict) || set < 0 ||
		    (uint64_t)set >= p->nsets) {
			code = damaged(r, "a bucket has an unknown stack or set of labels");
			break;
		}
		for (size_t t = 0; t < p->ntypes; t++)
			one[t] = values.col[TP_COL(BUCKET_VALUE, value)][t * n + i];
		code = checked(r, tp_profile_add_sample(p, (uint32_t)stack, (uint32_t)set, one));
	}
done:
	free(one);
	tp_rows_release(&values);
	return code;
}

int tp_profile_load(struct tp_store *s, int64_t run, struct tp_profile **out, struct tp_err *err)
{
	struct reading r = {.store = s, .run = run, .err = err};
	struct tp_dict *dict = NULL;
	int code;

	*out = NULL;
	r.p = tp_profile_new();
	if (!r.p)
		return tp_nomem(err);
	code = tp_dict_load(s, run, &dict, err);
	if (!code) {
		tp_dict_free(r.p->dict);
		r.p->dict = dict;
		code = load_header(&r);
	}
	if (!code)
		code = load_types(&r);
	if (!code)
		code = load_mappings(&r);
	if (!code)
		code = check_locations(&r);
	if (!code)
		code = load_comments(&r);
	if (!code)
		code = load_counters(&r);
	if (!code)
		code = load_labels(&r);
	if (!code)
		code = load_buckets(&r);
	tp_rows_release(&r.rows);
	if (code)
		tp_profile_free(r.p);
	else
		*out = r.p;
	return code;
}
