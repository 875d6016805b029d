/* Checks that an engine's existing tables have the requested form: all tables of a database are on
 * one server, or all are distributed over one cluster. */
#include <stdio.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"

int rep_engine_ask(const struct rep_engine_link *link, struct tp_buf *s, rep_engine_row *row,
		   void *ctx, struct tp_err *err)
{
	struct rep_answer answer = {.row = row, .ctx = ctx};
	const char *sql;
	int code;

	tp_buf_text(s, " FORMAT RowBinary");
	sql = rep_sql_text(s);
	code =
	    sql ? link->ask(link->ctx, sql, NULL, 0, rep_answer_data, &answer, err) : tp_nomem(err);
	code = rep_answer_end(&answer, code, err);
	tp_buf_release(s);
	return code;
}

int rep_engine_send(const struct rep_engine_link *link, struct tp_buf *s, const void *data,
		    size_t size, struct tp_err *err)
{
	const char *sql = rep_sql_text(s);
	int code = sql ? link->ask(link->ctx, sql, data, size, NULL, NULL, err) : tp_nomem(err);

	tp_buf_release(s);
	return code;
}

/* ---- one server, or a cluster ---- */

static bool is_ours(struct tp_slice name)
{
	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		if (rep_row_text_is(name, rep_engine_name((enum rep_engine_table_id)t)))
			return true;
	return false;
}

/* Returns the cluster in "Distributed(fleet, …" or, in later releases, "Distributed('fleet', …".
 * Returns an empty slice for other engines and unusual names. */
static struct tp_slice cluster_of(struct tp_slice engine)
{
	static const char head[] = "Distributed(";
	const uint8_t *at = engine.data, *end = at + engine.size;
	struct tp_slice name = {0};

	if (engine.size < sizeof(head) || memcmp(at, head, sizeof(head) - 1) != 0)
		return name;
	at += sizeof(head) - 1;
	if (*at == '\'' || *at == '`')
		at++;
	name.data = at;
	while (at < end && !strchr(",'`\\", *at))
		at++;
	if (at < end && *at != '\\')
		name.size = (size_t)(at - name.data);
	return name;
}

struct form {
	const struct rep_engine_place *at;
	int ntables; /* of ours */
};

static int on_table(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct form *form = ctx;
	const struct rep_engine_place *at = form->at;
	struct tp_slice name = rep_row_get_text(c), engine = rep_row_get_text(c);
	struct tp_slice cluster = cluster_of(engine);
	bool spread = engine.size > 11 && !memcmp(engine.data, "Distributed", 11);

	if (c->failed || !is_ours(name))
		return 0;
	form->ntables++;
	if (spread && !at->cluster)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "database %.100s is spread over the cluster %.*s; give --cluster "
				  "with its name, or load into another database",
				  at->database, (int)(cluster.size < 100 ? cluster.size : 100),
				  cluster.size ? (const char *)cluster.data : "");
	if (!spread && at->cluster)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "database %.100s was made without --cluster; leave that out, or "
				  "load into another database",
				  at->database);
	if (at->cluster && cluster.size && !rep_row_text_is(cluster, at->cluster))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "database %.100s is spread over the cluster %.*s, not %.100s; "
				  "give that name, or load into another database",
				  at->database, (int)(cluster.size < 100 ? cluster.size : 100),
				  (const char *)cluster.data, at->cluster);
	return 0;
}

int rep_engine_check_form(const struct rep_engine_link *server, const struct rep_engine_place *at,
			  bool *all, struct tp_err *err)
{
	struct form form = {.at = at};
	struct tp_buf s = {0};
	int code;

	tp_buf_text(&s, "SELECT name, engine_full FROM system.tables WHERE database = ");
	rep_sql_string(&s, at->database, strlen(at->database));
	tp_buf_text(&s, " ORDER BY name");
	code = rep_engine_ask(server, &s, on_table, &form, err);
	*all = form.ntables == REP_ENGINE_NTABLES;
	return code;
}

/* ---- does the cluster exist? ---- */

struct clusters {
	uint64_t found;
	char all[160]; /* "a, b" */
};

static int on_clusters(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct clusters *k = ctx;
	uint64_t found = rep_row_get(c, 8);
	struct tp_slice all = rep_row_get_text(c);

	(void)err;
	if (c->failed)
		return 0;
	k->found = found;
	snprintf(k->all, sizeof(k->all), "%.*s", (int)(all.size < 150 ? all.size : 150),
		 (const char *)all.data);
	return 0;
}

/* Macros ("{cluster}") are expanded by the server. A user who may create tables is not always
 * allowed to read system.clusters, so a refused query proves nothing; a lost connection makes the
 * next statement fail. */
int rep_engine_check_cluster(const struct rep_engine_link *server,
			     const struct rep_engine_place *at, struct tp_err *err)
{
	struct clusters k = {0};
	struct tp_buf s = {0};
	int code;

	if (!at->cluster || strchr(at->cluster, '{'))
		return 0;
	tp_buf_text(&s, "SELECT countIf(cluster = ");
	rep_sql_string(&s, at->cluster, strlen(at->cluster));
	tp_buf_text(&s, "), arrayStringConcat(arraySort(groupUniqArray(cluster)), ', ') FROM "
			"system.clusters");
	code = rep_engine_ask(server, &s, on_clusters, &k, err);
	if (code == TP_EIO || code == TP_ENOENT)
		return 0;
	if (code || k.found)
		return code;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the engine's system.clusters has no cluster %.100s; %s%.150s",
			  at->cluster, *k.all ? "it has: " : "it is empty", k.all);
}
