/* SQL over what a damaged dump, or a damaged store, left: virtual tables, with constraints that
 * they take and such that they do not, and functions. */
#include "fuzz.h"
#include "query/query.h"
#include "store/tables.h"

static const char *const statements[] = {
    "select * from event where run = :run limit 200",
    "select type, count(*), min(ts), max(ts) from event group by 1",
    "select * from event where ts between 1 and 100000 and m >= 0 order by ts desc limit 20",
    "select * from event where g = 1 or subject = 1 limit 50",
    "select * from event where type in ('GoCreate', 'GoStart') and stack > 0 limit 50",
    "select * from span where run = :run limit 200",
    ("select state, reason, count(*), sum(dur_ns), p50(dur_ns), p99(dur_ns), median(dur_ns) "
     "from span group by 1, 2"),
    "select * from span where goroutine = 1 and dur_ns > 10 order by start_ns limit 50",
    "select goroutine, max(dur_ns) from span where start_ns < 100000 group by 1 limit 50",
    "select * from string where run = :run limit 100",
    "select s.text, count(*) from string s group by 1 order by 2 desc limit 20",
    "select stack_text(run, stack), count(*) from event where stack > 0 group by 1 limit 20",
    "select fmt_ns(ts), m, p, g from event where run = :run and p is not null limit 50",
    "select e.ts, g.id, g.name from event e join goroutine g on g.run = e.run limit 50",
    "select * from run, label, loss, notice, wire, clock, segment limit 20",
    "select b.stream, sum(b.rows), sum(length(b.data)) from block b group by 1",
};

static void run_one(struct rep_query *q, const char *sql, uint64_t *pick)
{
	struct tp_buf text = {0};
	struct rep_output *out = fuzz_paper(&text, pick, true);
	struct tp_err err = {0};

	fuzz_paper_end(out, &text, rep_query_run(q, sql, out, &err), &err);
}

void fuzz_sql(struct fuzz_store *f, uint64_t pick)
{
	const struct rep_query_options opt = {.run = f->run->row.id};
	struct rep_query *q;
	struct tp_err err = {0};
	char sql[200];
	int code;

	code = rep_query_new(&q, f->s, &opt, &err);
	MUST_WORK(f, code, err);
	if (code)
		return;
	for (int i = 0; i < 3; i++)
		run_one(q, statements[fuzz_pick(&pick, sizeof(statements) / sizeof(statements[0]))],
			&pick);
	for (int i = 0; i < 3; i++) {
		const struct tp_table_desc *t = &tp_tables[fuzz_pick(&pick, TP_NTABLES)];
		const char *column = t->columns[fuzz_pick(&pick, t->ncolumns)].name;

		snprintf(sql, sizeof(sql), "select * from %s where %s %s %u order by %s limit 40",
			 t->name, column, fuzz_pick(&pick, 2) ? ">=" : "=", fuzz_pick(&pick, 3),
			 t->columns[fuzz_pick(&pick, t->ncolumns)].name);
		run_one(q, sql, &pick);
	}
	if (!fuzz_pick(&pick, 4)) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, &pick, true);

		fuzz_paper_end(out, &text, rep_query_tables(q, out, &err), &err);
	}
	rep_query_free(q);
}
