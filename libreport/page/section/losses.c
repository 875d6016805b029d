/* Lists the parts of the dump that were lost, and the effect on the numbers of the page. */
#include <sqlite3.h>
#include <string.h>

#include "goid.h"
#include "page/inside.h"
#include "store/sqlerr.h"

#define MOST 20 /* limit on losses, and on notices, that are listed */

static void text_column(struct tp_buf *h, sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	if (text)
		html_text(h, text, (size_t)sqlite3_column_bytes(st, column));
}

/* Writes at most MOST rows, then the number of the others. */
static int each(struct page *p, struct tp_buf *h, const char *sql,
		void (*row)(struct page *p, struct tp_buf *h, sqlite3_stmt *st), struct tp_err *err)
{
	sqlite3 *db = tp_store_db(p->store);
	sqlite3_stmt *st = NULL;
	int64_t n = 0;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) ||
	    sqlite3_bind_int64(st, 1, p->run->row.id)) {
		sqlite3_finalize(st);
		return tp_sql_cause(err, db, "cannot read what was lost");
	}
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (n++ < MOST)
			row(p, h, st);
	}
	sqlite3_finalize(st);
	if (n > MOST) {
		tp_buf_text(h, "<li>… and ");
		html_count(h, n - MOST);
		tp_buf_text(h, " more: ");
		page_command(p, h, "tprof-store show", "");
		tp_buf_text(h, "</li>\n");
	}
	return rc == SQLITE_DONE ? 0 : tp_sql_cause(err, db, "cannot read what was lost");
}

static void loss(struct page *p, struct tp_buf *h, sqlite3_stmt *st)
{
	tp_buf_text(h, "<li>");
	text_column(h, st, 5);
	tp_buf_text(h, " <span class=\"soft\">(byte ");
	html_count(h, sqlite3_column_int64(st, 0));
	if (sqlite3_column_int64(st, 1)) {
		tp_buf_text(h, ", ");
		html_bytes(h, sqlite3_column_int64(st, 1));
	}
	if (sqlite3_column_int64(st, 4)) {
		tp_buf_text(h, ", about ");
		html_counted(h, sqlite3_column_int64(st, 4), "event");
	}
	if (sqlite3_column_type(st, 2) != SQLITE_NULL) {
		tp_buf_text(h, ", from ");
		page_time_value(p, h, sqlite3_column_int64(st, 2));
		if (sqlite3_column_type(st, 3) != SQLITE_NULL) {
			tp_buf_text(h, " to ");
			page_time_value(p, h, sqlite3_column_int64(st, 3));
		}
	}
	tp_buf_text(h, ")</span></li>\n");
}

static void notice(struct page *p, struct tp_buf *h, sqlite3_stmt *st)
{
	(void)p;
	tp_buf_text(h, "<li>");
	text_column(h, st, 0);
	tp_buf_text(h, "</li>\n");
}

int page_losses(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	const struct tp_run *r = &p->run->row;
	char mixed[REP_GOIDS_MIXED_SIZE];
	size_t before, begun;
	int64_t goid;
	int code;

	if (p->run->losses) {
		tp_buf_text(h, "<p>The dump is damaged. It has lost ");
		if (r->lost_bytes) {
			html_bytes(h, r->lost_bytes);
			tp_buf_text(h,
				    p->run->uncounted ? " and more that could not be counted" : "");
		} else {
			tp_buf_text(h, "data that could not be counted");
		}
		if (r->lost_events) {
			tp_buf_text(h, ", about ");
			html_counted(h, r->lost_events, "event");
		}
		tp_buf_text(h, ". The other events are kept; ");
		html_counted(h, r->inferred, "transition");
		tp_buf_text(h,
			    " had to be inferred. Times are right where the trace has events; time "
			    "without events is called lost and belongs to no state.</p>\n"
			    "<ul class=\"plain\">\n");
		code = each(p, h,
			    "SELECT offset, bytes, from_ns, to_ns, events, reason FROM loss "
			    "WHERE run = ? ORDER BY offset, reason",
			    loss, err);
		tp_buf_text(h, "</ul>\n");
		if (code)
			return code;
	}
	if (r->ticks)
		tp_buf_text(h, "<p>The trace has no clock: all times are ticks of unknown "
			       "length.</p>\n");
	if (rep_goids_mixed(p->store, r->id, &goid, err) == 1) {
		tp_buf_text(h, "<p>Numbers of several goroutines are mixed on this page: ");
		html_str(h, rep_goids_mixed_text(goid, mixed));
		tp_buf_text(h, ".</p>\n");
	}
	before = h->size;
	tp_buf_text(h, "<h3>Notices</h3><ul class=\"plain\">\n");
	begun = h->size;
	code = each(p, h,
		    "SELECT " REP_NOTICE_TEXT
		    " AS text FROM notice WHERE run = ? ORDER BY severity DESC, offset, text",
		    notice, err);
	if (h->size == begun && !tp_buf_text(h, ""))
		h->size = before; /* no notices: remove the heading */
	else
		tp_buf_text(h, "</ul>\n");
	return code;
}
