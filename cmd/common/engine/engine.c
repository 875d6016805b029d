#include "common/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/many.h"
#include "common/file.h"
#include "common/progress.h"
#include "engine/fetch.h"

struct made {
	char *spec, *path;
	bool adds_up, profiles_only;
};

struct source {
	const char *address; /* as it is in the argument, without user and password */
	struct cmd_engine_url url;
	struct cmd_courier *courier;
	struct rep_engine_runs runs;
	bool listed;
	struct made *made;
	size_t nmade;
};

static struct {
	struct source *at;
	size_t n;
	struct cmd_scratch dir; /* made for the first store */
} sources = {.dir.fd = -1};

/* ---- addresses ---- */

/* Returns the address in an argument (URL, --option=URL), or NULL. */
static char *address_in(char *arg)
{
	char *equals = arg[0] == '-' ? strchr(arg, '=') : NULL;

	if (cmd_engine_is_url(arg))
		return arg;
	return equals && cmd_engine_is_url(equals + 1) ? equals + 1 : NULL;
}

static void forget(void)
{
	for (size_t i = 0; i < sources.n; i++) {
		struct source *s = &sources.at[i];

		for (size_t k = 0; k < s->nmade; k++) {
			free(s->made[k].path);
			free(s->made[k].spec);
		}
		free(s->made);
		rep_engine_runs_release(&s->runs);
		cmd_courier_stop(s->courier);
		cmd_engine_url_release(&s->url);
	}
	free(sources.at);
	cmd_scratch_remove(&sources.dir);
	memset(&sources, 0, sizeof(sources));
}

/* Returns the file of credentials if the address names none, or NULL if there is no such folder. */
static const char *usual_credentials(char path[PATH_MAX])
{
	if (!cmd_xdg_folder(path, "XDG_CONFIG_HOME", ".config"))
		return NULL;
	return strcat(path, "/clickhouse");
}

static int add(struct cmd *cmd, char *address)
{
	struct source *more = tp_more(sources.at, sources.n + 1, sizeof(*more)), *s;
	char path[PATH_MAX];
	struct tp_err err;
	int code;

	if (!more)
		return cmd_nomem(cmd);
	sources.at = more;
	s = &more[sources.n++];
	*s = (struct source){.address = address};
	code = cmd_engine_url_parse(&s->url, address, &err);
	cmd_engine_url_hide(address);
	if (code) {
		cmd_error(cmd, "%s", err.msg);
		return code == TP_ENOMEM ? CMD_SYSTEM : CMD_USAGE;
	}
	if (cmd_engine_credentials(&s->url, usual_credentials(path), &err) ||
	    cmd_courier_start(&s->courier, &s->url, &err)) {
		cmd_error(cmd, "%s", err.msg);
		return CMD_SYSTEM;
	}
	return CMD_OK;
}

int cmd_engine_begin(struct cmd *cmd, int argc, char **argv)
{
	int status = CMD_OK;

	for (int i = 1; i < argc && !status; i++) {
		char *address = address_in(argv[i]);

		if (!address)
			continue;
		if (!sources.n)
			atexit(forget);
		status = add(cmd, address);
	}
	/* After an error, hide the passwords of the remaining addresses, too. */
	cmd_engine_hide(argc, argv);
	return status;
}

void cmd_engine_hide(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (address_in(argv[i]))
			cmd_engine_url_hide(address_in(argv[i]));
}

static struct source *find(const char *address)
{
	for (size_t i = 0; i < sources.n; i++)
		if (!strcmp(sources.at[i].address, address))
			return &sources.at[i];
	return NULL;
}

bool cmd_engine_target(const char *address, struct cmd_engine_target *t)
{
	struct source *s = find(address);

	if (s)
		*t = (struct cmd_engine_target){s->address, &s->url, cmd_courier_link(s->courier)};
	return s != NULL;
}

int cmd_engine_fail(const struct cmd *cmd, const char *address, const struct tp_err *err)
{
	const struct source *s = find(address);
	bool named = s && s->url.host && !strncmp(err->msg, s->url.host, strlen(s->url.host));

	if (err->code == TP_ECANCEL)
		cmd_interrupted();
	if (named)
		cmd_error(cmd, "%s", err->msg);
	else
		cmd_error(cmd, "%s: %s", address, err->msg);
	return tp_err_exit_status(err->code);
}

/* ---- stores ---- */

static int make_dir(struct cmd *cmd)
{
	struct tp_err err;

	if (sources.dir.path || !cmd_scratch_make(&sources.dir, &err))
		return CMD_OK;
	cmd_error(cmd, "%s", err.msg);
	return CMD_SYSTEM;
}

static bool has_comma(const struct cmd_engine_url *u)
{
	for (size_t i = 0; i < u->nlabels; i++)
		if (strchr(u->label[i], ','))
			return true;
	return false;
}

static int list_runs(struct cmd *cmd, struct source *s)
{
	const struct rep_engine_link link = cmd_courier_link(s->courier);
	const struct rep_engine_place at = {.database = s->url.database};
	struct tp_err err;

	if (s->listed)
		return CMD_OK;
	if (rep_engine_runs_load(&link, &at, s->url.label, s->url.nlabels, &s->runs, &err))
		return cmd_engine_fail(cmd, s->address, &err);
	s->listed = true;
	if (s->runs.n)
		return CMD_OK;
	cmd_error(cmd, "%s: %s%s", s->address,
		  s->url.nlabels ? "no run has these labels" : "the database has no runs",
		  has_comma(&s->url) ? "; a comma is part of a label here: give several labels as "
				       "label=KEY=VALUE&label=KEY=VALUE"
				     : "");
	return CMD_INPUT;
}

/* Returns the store made for this spec before (*there), or a new entry for it; NULL if memory is out. */
static struct made *place(struct cmd *cmd, struct source *s, const char *spec, bool *there)
{
	struct made *m = tp_more(s->made, s->nmade + 1, sizeof(*m));

	*there = false;
	if (!m)
		return NULL;
	s->made = m;
	for (size_t i = 0; i < s->nmade; i++) {
		*there = !strcmp(m[i].spec, spec) && m[i].adds_up == cmd->adds_up &&
			 m[i].profiles_only == cmd->profiles_only;
		if (*there)
			return &m[i];
	}
	m = &s->made[s->nmade];
	*m = (struct made){
	    .spec = strdup(spec), .adds_up = cmd->adds_up, .profiles_only = cmd->profiles_only};
	if (asprintf(&m->path, "%s/%zu-%zu.tprof", sources.dir.path, (size_t)(s - sources.at),
		     s->nmade) < 0)
		m->path = NULL;
	s->nmade++;
	return m->spec && m->path ? m : NULL;
}

static int make(struct cmd *cmd, struct source *s, const char *spec, const bool *picked,
		const char **path)
{
	const struct rep_engine_link link = cmd_courier_link(s->courier);
	const struct rep_engine_place at = {.database = s->url.database};
	const struct rep_engine_fetch_options opt = {
	    .picked = picked, .add_up = cmd->adds_up, .profiles_only = cmd->profiles_only};
	struct tp_err err;
	struct made *m;
	bool there;
	int status = make_dir(cmd);

	if (status)
		return status;
	m = place(cmd, s, spec, &there);
	if (!m)
		return cmd_nomem(cmd);
	if (!there && rep_engine_fetch(&link, &at, &s->runs, &opt, m->path, &err))
		return cmd_engine_fail(cmd, s->address, &err);
	*path = m->path;
	return CMD_OK;
}

static struct source *begin(struct cmd *cmd, const char *address)
{
	struct source *s = find(address);

	if (s)
		cmd_interruptible();
	else
		cmd_error(cmd,
			  "%s: this command cannot read from an engine; tprof-top, tprof-diff, "
			  "tprof-flame and tprof-export can",
			  address);
	return s;
}

int cmd_engine_list(struct cmd *cmd, const char *address, const char **path)
{
	struct source *s = begin(cmd, address);
	int status = s ? list_runs(cmd, s) : CMD_USAGE;

	return status ? status : make(cmd, s, "", NULL, path);
}

/* Marks the runs that a spec picks, by the same rules as for a store. */
static int pick(struct cmd *cmd, const struct source *s, const char *spec, bool *picked)
{
	static char none[] = "";
	struct rep_runs all = {.n = s->runs.n, .shared = true}, runs = {0};
	struct tp_err err;
	int status = CMD_OK;

	all.run = calloc(all.n, sizeof(*all.run));
	if (!all.run)
		return cmd_nomem(cmd);
	for (size_t i = 0; i < all.n; i++) {
		const struct rep_engine_run *r = &s->runs.run[i];

		all.run[i] = (struct rep_run){
		    .row = r->row, .labels = r->label, .nlabels = r->nlabels, .warning = none};
	}
	if (rep_runs_select(&all, spec, &runs, &err))
		status = cmd_fail(cmd, s->address, &err);
	for (size_t i = 0; i < runs.n; i++)
		picked[runs.run[i].row.id - 1] = true;
	rep_runs_release(&runs);
	rep_runs_release(&all);
	return status;
}

int cmd_engine_fetch(struct cmd *cmd, const char *address, const char **path)
{
	const char *spec = cmd->run_spec ? cmd->run_spec : "latest";
	struct source *s = begin(cmd, address);
	int status = s ? list_runs(cmd, s) : CMD_USAGE;
	bool *picked;

	if (status)
		return status;
	picked = calloc(s->runs.n, sizeof(*picked));
	if (!picked)
		return cmd_nomem(cmd);
	status = pick(cmd, s, spec, picked);
	if (!status)
		status = make(cmd, s, spec, picked, path);
	free(picked);
	/* The code from here on does not check for interrupts, so they end the process. */
	cmd_interrupt_ends();
	return status;
}
