/* SQL over what a damaged dump, or a damaged store, left: virtual tables, with constraints that
 * they take and such that they do not, in orders that they keep and such that they do not, and
 * functions. On a sound store every statement has to work. */
#include "fuzz.h"
#include "query/query.h"
#include "store/describe.h"
#include "store/tables.h"

static const char *const statements[] = {
    "select * from event where run = :run limit 200",
    "select type, count(*), min(ts_ns), max(ts_ns) from event group by 1",
    "select kind, count(*) from event group by kind order by kind desc",
    "select rowid, * from event where ts_ns between 1 and 100000 and m >= 0 order by ts_ns desc "
    "limit 20",
    "select * from event where goroutine = 1 or subject = 1 limit 50",
    "select * from event where type in ('GoCreate', 'GoStart', 'no such type') and stack > 0 limit "
    "50",
    "select kind, type, ts_ns, text, text2, stack2, arg2 from event where m = 1 and p = 0 order by "
    "seq limit 50",
    "select * from event where seq >= 3.5 and seq < 20 and ts_ns >= -1e300 order by run, seq desc "
    "limit 20",
    "select * from event where goroutine = 1 and m = 'x' and ts_ns < null",
    "select goroutine, m, p, count(*) from event where inferred = 0 and lost is not 1 group by 1, "
    "2, 3",
    "select e.seq, s.state from event e join span s on s.run = e.run and s.goroutine = e.goroutine "
    "and e.ts_ns between s.start_ns and s.end_ns limit 50",
    "select * from span where run = :run limit 200",
    "select rowid, * from span where dur_ns > 1000 and open = 0 order by dur_ns desc limit 20",
    "select state, reason, count(*), total(dur_ns), p50(dur_ns), p90(dur_ns), p95(dur_ns), "
    "p99(dur_ns), "
    "median(dur_ns) from span group by 1, 2",
    "select state, count(*), min(start_ns), max(end_ns) from span group by state order by state "
    "desc",
    "select * from span where goroutine = 1 and dur_ns > 10 order by start_ns limit 50",
    "select * from span where state in ('Running', 'Waiting', '') and start_ns > 5 and end_ns < "
    "100000 limit 50",
    "select * from span where state = 'Runnable' and reason != '' and open = 1 and waker > 0 limit "
    "50",
    "select goroutine, max(dur_ns) from span where start_ns < 100000 group by 1 limit 50",
    "select percentile(dur_ns, 0), percentile(dur_ns / 3.0, 50), percentile(-dur_ns, 99.9), "
    "percentile(dur_ns * 1e300 - 1, 100), percentile(null, 5) from span",
    "select median(start_ns), median(start_ns - 0.5) from span where start_ns > 3 group by "
    "goroutine, p",
    "select * from string where run = :run limit 100",
    "select s.text, count(*) from string s group by 1 order by 2 desc limit 20",
    "select a.text from string a join string b on b.run = a.run and b.id = a.id + 1 limit 20",
    "select stack_text(run, stack), func_of(run, stack), root_of(run, stack), count(*) from event "
    "group by stack limit 20",
    "select stack_text(stack), func_of(stack2), root_of(99999999), func_of(1, null), root_of(:run, "
    "-1) "
    "from event where run = :run limit 20",
    "select fmt_ns(ts_ns), fmt_ns(ts_ns * 1.5), fmt_bytes(arg0), fmt_bytes(text), fmt_ns(-1e300), "
    "fmt_ns(null) from event where run = :run and p is not null limit 50",
    "select count(*) from span where dur_ns > ns('1.5ms') or start_ns > ns('-2m05s') or reason "
    "regexp 'chan|select'",
    "select count(*) from string where text regexp '^[[:alpha:]]+$' or null regexp text",
    "select e.ts_ns, g.id, g.name from event e join goroutine g on g.run = e.run limit 50",
    "select * from goroutine order by run desc, id limit 50",
    "select rowid, * from goroutine where id <= 10 and id > -5 order by rowid desc limit 50",
    "select * from run, label, loss, notice, wire, clock, segment limit 20",
    "select b.stream, sum(b.rows), sum(length(b.data)) from block b group by 1",
};

/* Those that fail, wherever there are rows: with a sentence. */
static const char *const wrong[] = {
    "select ns('1 parsec') from span",
    "select ns(state || dur_ns) from span",
    "select text regexp '(' from string",
    "select percentile(dur_ns, 101) from span",
    "select percentile(dur_ns, state) from span",
    "select percentile(state, 50) from span",
    "select rowid, count(*) from event group by type",
    "select no_such_column from event",
};

static void run_wrong(struct rep_query *q, const char *sql, uint64_t *pick)
{
	struct tp_buf text = {0};
	struct rep_output *out = fuzz_paper(&text, pick, true);
	struct tp_err err = {0};
	int code = rep_query_run(q, sql, out, &err);

	fuzz_paper_end(out, &text, code, &err);
}

static void run_one(struct fuzz_store *f, struct rep_query *q, const char *sql, uint64_t *pick)
{
	struct tp_buf text = {0};
	struct rep_output *out = fuzz_paper(&text, pick, true);
	struct tp_err err = {0};
	int code = rep_query_run(q, sql, out, &err);

	if (code && !f->hostile)
		fprintf(stderr, "%s\n", sql);
	MUST_WORK(f, code, err);
	fuzz_paper_end(out, &text, code, &err);
}

/* Comparisons of columns with values of every type, in some order. */
static void compare(struct fuzz_store *f, struct rep_query *q, uint64_t *pick)
{
	static const char *const operators[] = {"=", "<", "<=", ">", ">=", "!=", "is"};
	static const char *const values[] = {
	    "0", "1", "2", "-1", "7.5", "'Running'", "x''", "null", "1e300", "9223372036854775807"};
	static const char *const event[] = {
#define NAME(name, ...) #name,
	    TP_SQL_EVENT_COLUMNS(NAME)
#undef NAME
	};
	const struct tp_table_desc *t = &tp_tables[fuzz_pick(pick, TP_NTABLES)];
	bool events = !fuzz_pick(pick, 3);
	unsigned n = events ? sizeof(event) / sizeof(event[0]) : (unsigned)t->ncolumns;
	char sql[400];
	int at = snprintf(sql, sizeof(sql), "select * from %s where ", events ? "event" : t->name);

	for (unsigned i = 0, most = 1 + fuzz_pick(pick, 2); i < most; i++) {
		unsigned c = fuzz_pick(pick, n);

		at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s %s %s", i ? " and " : "",
			       events ? event[c] : t->columns[c].name,
			       operators[fuzz_pick(pick, 7)], values[fuzz_pick(pick, 10)]);
	}
	if (fuzz_pick(pick, 2)) {
		unsigned c = fuzz_pick(pick, n);

		at += snprintf(sql + at, sizeof(sql) - (size_t)at, " order by %s%s",
			       events ? event[c] : t->columns[c].name,
			       fuzz_pick(pick, 2) ? " desc" : "");
	}
	snprintf(sql + at, sizeof(sql) - (size_t)at, " limit 40");
	run_one(f, q, sql, pick);
}

void fuzz_sql(struct fuzz_store *f, uint64_t pick)
{
	const struct rep_query_options opt = {.run = f->run->row.id};
	struct rep_query *q;
	struct tp_err err = {0};
	int code;

	code = rep_query_new(&q, f->s, &opt, &err);
	MUST_WORK(f, code, err);
	if (code)
		return;
	for (int i = 0; i < 4; i++)
		run_one(f, q,
			statements[fuzz_pick(&pick, sizeof(statements) / sizeof(statements[0]))],
			&pick);
	for (int i = 0; i < 4; i++)
		compare(f, q, &pick);
	run_wrong(q, wrong[fuzz_pick(&pick, sizeof(wrong) / sizeof(wrong[0]))], &pick);
	if (!fuzz_pick(&pick, 4)) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, &pick, true);

		fuzz_paper_end(out, &text, rep_query_tables(q, out, &err), &err);
	}
	rep_query_free(q);
}
