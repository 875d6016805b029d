/* Are the tables that an engine has those that are going to be made? All of a database are of one
 * server, or all are spread over one cluster; and tables of the first form get what they lack. */
#include <stdio.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"

int rep_engine_ask(const struct rep_engine_link *link, struct rep_sql *s, const void *data,
		   size_t size, struct rep_answer *answer, struct tp_err *err)
{
	const char *sql = rep_sql_text(s);
	int code = !sql ? rep_engine_no_memory(err)
			: link->ask(link->ctx, sql, data, size, answer ? rep_answer_data : NULL,
				    answer, err);

	if (answer)
		code = rep_answer_end(answer, code, err);
	rep_sql_release(s);
	return code;
}

/* ---- one server, or a cluster ---- */

static bool is_text(struct tp_slice s, const char *text)
{
	return s.size == strlen(text) && !memcmp(s.data, text, s.size);
}

static bool is_ours(struct tp_slice name)
{
	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		if (rep_engine_has((enum rep_engine_table_id)t) &&
		    is_text(name, rep_engine_name((enum rep_engine_table_id)t)))
			return true;
	return false;
}

/* "Distributed(fleet, …" or, of later releases, "Distributed('fleet', …". Empty: it says something
 * else, or the name is an odd one. */
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
				  "database %.100s is spread over the cluster %.*s: give --cluster "
				  "with its name, or load into another database",
				  at->database, (int)(cluster.size < 100 ? cluster.size : 100),
				  cluster.size ? (const char *)cluster.data : "");
	if (!spread && at->cluster)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "database %.100s was made without --cluster: leave that out, or "
				  "load into another database",
				  at->database);
	if (at->cluster && cluster.size && !is_text(cluster, at->cluster))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "database %.100s is spread over the cluster %.*s, not %.100s: "
				  "give that name, or load into another database",
				  at->database, (int)(cluster.size < 100 ? cluster.size : 100),
				  (const char *)cluster.data, at->cluster);
	return 0;
}

int rep_engine_check_form(const struct rep_engine_link *server, const struct rep_engine_place *at,
			  bool *all, struct tp_err *err)
{
	struct form form = {.at = at};
	struct rep_answer answer = {.row = on_table, .ctx = &form};
	struct rep_sql s = {0};
	int ntables = 0, code;

	rep_sql_put(&s, "SELECT name, engine_full FROM system.tables WHERE database = ");
	rep_sql_string(&s, at->database, strlen(at->database));
	rep_sql_put(&s, " ORDER BY name FORMAT RowBinary");
	code = rep_engine_ask(server, &s, NULL, 0, &answer, err);
	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		ntables += rep_engine_has((enum rep_engine_table_id)t);
	*all = form.ntables == ntables;
	return code;
}

/* ---- is there such a cluster? ---- */

struct clusters {
	const char *name;
	bool found;
	char list[160];
	size_t used;
};

static int on_cluster(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct clusters *k = ctx;
	struct tp_slice name = rep_row_get_text(c);
	size_t room = sizeof(k->list) - k->used;
	int n;

	(void)err;
	if (c->failed)
		return 0;
	k->found |= is_text(name, k->name);
	n = snprintf(k->list + k->used, room, "%s%.*s", k->used ? ", " : "",
		     (int)(name.size < 100 ? name.size : 100), (const char *)name.data);
	if (n > 0 && (size_t)n < room)
		k->used += (size_t)n;
	else
		k->list[k->used] = '\0';
	return 0;
}

/* A macro ("{cluster}") is what the server makes of it. Whoever may make tables need not be one who
 * may know of clusters: an answer that is refused says nothing, and where the connection is gone,
 * what comes next says so. */
int rep_engine_check_cluster(const struct rep_engine_link *server,
			     const struct rep_engine_place *at, struct tp_err *err)
{
	struct clusters k = {.name = at->cluster};
	struct rep_answer answer = {.row = on_cluster, .ctx = &k};
	struct rep_sql s = {0};
	int code;

	if (!at->cluster || strchr(at->cluster, '{'))
		return 0;
	rep_sql_put(&s, "SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster FORMAT "
			"RowBinary");
	code = rep_engine_ask(server, &s, NULL, 0, &answer, err);
	if (code == TP_EIO || code == TP_ENOENT)
		return 0;
	if (code || k.found)
		return code;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "no cluster is called %.100s in the engine's system.clusters; %s%.150s",
			  at->cluster, *k.list ? "there are: " : "there is none", k.list);
}

/* ---- the column that the first form does not have ---- */

struct lacking {
	bool local, whole;
};

static int on_lacking(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct lacking *l = ctx;
	struct tp_slice name = rep_row_get_text(c);

	(void)err;
	if (c->failed)
		return 0;
	l->whole |= is_text(name, "load");
	l->local |= is_text(name, "load_local");
	return 0;
}

static int find_lacking(const struct rep_engine_link *server, const struct rep_engine_place *at,
			struct lacking *l, struct tp_err *err)
{
	struct rep_answer answer = {.row = on_lacking, .ctx = l};
	struct rep_sql s = {0};

	*l = (struct lacking){0};
	rep_sql_put(&s, "SELECT table FROM system.columns WHERE database = ");
	rep_sql_string(&s, at->database, strlen(at->database));
	rep_sql_put(&s, " AND table IN ('load', 'load_local') GROUP BY table HAVING "
			"countIf(name = 'until') = 0 FORMAT RowBinary");
	return rep_engine_ask(server, &s, NULL, 0, &answer, err);
}

static int add_until(const struct rep_engine_link *server, const struct rep_engine_place *at,
		     bool local, struct tp_err *err)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned last = rep_engine_columns(REP_ENGINE_LOAD, column) - 1;
	struct rep_sql s = {0};

	rep_sql_put(&s, "ALTER TABLE ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, local);
	rep_sql_put(&s, " ADD COLUMN ");
	rep_sql_name(&s, column[last].name);
	rep_sql_put(&s, " %s", column[last].type);
	return rep_engine_ask(server, &s, NULL, 0, NULL, err);
}

/* ADD COLUMN IF NOT EXISTS is younger than the engines that are spoken with: somebody else may have
 * added it meanwhile. */
int rep_engine_mend_form(const struct rep_engine_link *server, const struct rep_engine_place *at,
			 struct tp_err *err)
{
	struct lacking l, still;
	struct tp_err other;
	int code = find_lacking(server, at, &l, err);

	if (!code && l.local && at->cluster)
		code = add_until(server, at, true, err);
	if (!code && l.whole)
		code = add_until(server, at, false, err);
	if (!code || find_lacking(server, at, &still, &other))
		return code;
	return still.local || still.whole ? code : 0;
}
