#include "common/dumps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"
#include "common/jail.h"
#include "common/sets.h"
#include "open/input.h"
#include "profile/merge/merge.h"

#define PAYS	  4		       /* a thread pays for this many dumps, */
#define BIG	  ((int64_t)256 << 10) /* or for one of this size */
#define MAX_NOTES 5		       /* most dumps that get a note */
#define KINDS	  4		       /* most sums of a thread */
#define ALL	  SIZE_MAX

/* ---- names ---- */

int cmd_names_init(struct cmd_names *n, const struct cmd *cmd, struct tp_err *err)
{
	const struct rep_profile_options plain = {0}, *opt = cmd->profile ? cmd->profile : &plain;
	const struct tp_symbol_options how = {
	    .binaries = &opt->binary, .nbinaries = opt->binary ? 1 : 0, .path = opt->symbol_path};
	int code = rep_demangle_parse(opt->demangle, &n->demangle, err);

	n->symbols = NULL;
	if (!code && (opt->binary || opt->symbol_path))
		code = tp_symbolizer_new(&n->symbols, &how, err);
	return code;
}

void cmd_names_release(struct cmd_names *n)
{
	tp_symbolizer_free(n->symbols);
}

int cmd_names_of(struct tp_profile *p, const struct cmd_names *n, struct tp_err *err)
{
	int code = n->symbols ? tp_profile_symbolize(p, n->symbols, NULL, NULL, err) : 0;

	return code ? code : rep_profile_demangle(p, n->demangle, err);
}

/* ---- dumps, several at a time ---- */

struct load {
	const char *const *paths;
	size_t from, to; /* the thread's part */
	bool add;	 /* else dumps are kept one by one */
	bool always;	 /* merge the samples of a single dump, too */
	struct rep_merger *sum[KINDS];
	size_t first[KINDS];	    /* the path whose kind each sum has */
	size_t nsums, picked;	    /* picked: the sum that is kept, or ALL */
	bool mixed;		    /* a sum has several kinds */
	uint8_t *kind;		    /* by path, of its sum */
	struct cmd_profile *item;   /* the dumps by path if they are kept */
	struct cmd_dump_note *note; /* by path */
	struct cmd_mark *mark;	    /* by path */
	struct cmd_names names;
	struct tp_profile_dumps *before; /* the only path's earlier dumps; NULL: not wanted */
	struct tp_dict *dict;		 /* of the dump before, for the next one to be added up */
	bool other;			 /* a path is not a dump of a profile */
	size_t failed;			 /* the path that err is about */
	int code;
	struct tp_err err;
};

int cmd_dump_read(const char *path, const struct cmd_names *names, struct tp_profile_options how,
		  enum cmd_what *what, struct tp_profile **p, struct cmd_dump_note *note,
		  struct tp_err *err)
{
	char warnings[400];
	struct tp_input_options opt = {.tmp_dir = getenv("TMPDIR"), .hash_later = true};
	struct tp_recognition seen;
	struct tp_input *in;
	char damaged[160], lost[CMD_LOST_SIZE];
	int64_t bytes = 0, samples = 0;
	int code = tp_input_open(&in, path, &opt, damaged, err);

	*p = NULL;
	if (!code)
		*what = cmd_what_of(in->data, in->size);
	if (!code && *what != CMD_WHAT_PROFILE) {
		tp_input_close(in);
		return 0;
	}
	if (!code)
		code = tp_recognise(in->data, in->size, &seen, err);
	how.kind = code ? 0 : seen.kind;
	if (!code)
		code = tp_profile_read(in->data, in->size, &how, p, err);
	tp_input_close(in);
	if (!code)
		code = cmd_names_of(*p, names, err);
	for (size_t i = 0; !code && how.dumps && i < how.dumps->n; i++)
		code = cmd_names_of(how.dumps->p[i], names, err);
	if (code) {
		tp_profile_free(*p);
		*p = NULL;
		return code;
	}
	for (size_t i = 0; i < (*p)->nlosses; i++) {
		bytes += (int64_t)(*p)->losses[i].bytes;
		samples += (int64_t)(*p)->losses[i].events;
	}
	/* Damage to the packing is the cause of all other losses. */
	note->damaged = (*p)->nlosses || *damaged;
	if (note->damaged)
		snprintf(note->text, sizeof(note->text), "is damaged: %.159s; lost: %s",
			 *damaged ? damaged : (*p)->losses[0].reason,
			 cmd_lost(lost, bytes, samples, "sample", *damaged));
	if (*tp_profile_warnings(*p, warnings, sizeof(warnings))) {
		size_t at = strlen(note->text);

		snprintf(note->text + at, sizeof(note->text) - at, "%s%s", at ? "; " : "",
			 warnings);
	}
	return 0;
}

/* Finds the sum for a dump. Keeps a sum per kind once one process is known to have written two kinds, as only
 * one kind is kept then. */
static int find_sum(struct load *l, size_t i, uint8_t *sum)
{
	bool clash = !l->nsums;

	for (size_t k = 0; k < l->nsums; k++)
		if (cmd_marks_alike(&l->mark[l->first[k]], &l->mark[i])) {
			*sum = (uint8_t)k;
			l->mixed |= l->mark[i].untyped || !*l->mark[i].shown;
			return 0;
		}
	for (size_t k = l->from; k < i && !clash && !l->mixed; k++)
		clash = cmd_marks_clash(&l->mark[k], &l->mark[i]);
	*sum = 0;
	if (!clash || l->nsums == KINDS) {
		l->mixed = true;
		return 0;
	}
	l->mixed = l->mark[i].untyped || !*l->mark[i].shown;
	*sum = (uint8_t)l->nsums;
	l->first[l->nsums] = i;
	return rep_merger_new(&l->sum[l->nsums++], l->always, &l->err);
}

static int add_up(struct load *l, size_t i, struct tp_profile *p)
{
	bool lasts = !l->names.symbols && !l->dict && tp_dict_lasts(p->dict);
	int code;

	l->mark[i] = cmd_mark_of(&(struct cmd_profile){
	    .profile = p, .name = (char *)l->paths[i], .damaged = l->note[i].damaged});
	code = find_sum(l, i, &l->kind[i]);
	if (!code)
		code = rep_merger_add(
		    l->sum[l->kind[i]],
		    &(struct rep_merge_part){.profile = p, .ratio = 1, .dict_stays = lasts},
		    &l->err);
	if (lasts) {
		l->dict = p->dict;
		p->dict = NULL;
		tp_dict_drop_stacks(l->dict);
	}
	for (size_t k = 0; k < l->nsums && !l->dict; k++)
		rep_merger_forget(l->sum[k]);
	tp_profile_free(p);
	return code ? cmd_profiles_unlike(&l->err) : 0;
}

static int load_one(struct load *l, size_t i)
{
	const struct tp_profile_options how = {.dumps = l->before, .dict = &l->dict};
	struct tp_profile *p;
	enum cmd_what what;
	int code = cmd_look(l->paths[i], &what, &l->err);

	if (!code && what == CMD_WHAT_PROFILE)
		code = cmd_dump_read(l->paths[i], &l->names, how, &what, &p, &l->note[i], &l->err);
	l->other = what != CMD_WHAT_PROFILE;
	if (code || l->other)
		return code;
	if (!l->add) {
		l->item[i].profile = p;
		return 0;
	}
	return add_up(l, i, p);
}

static void *load_part(void *ctx)
{
	struct load *l = ctx;

	for (size_t i = l->from; i < l->to && !l->code && !l->other; i++) {
		l->code = load_one(l, i);
		l->failed = i;
	}
	return NULL;
}

/* Returns how many threads pay, for many files or for big ones. */
static size_t thread_count(const char *const *paths, size_t n)
{
	size_t most = cmd_processors(CMD_THREADS), want = n / PAYS;
	int64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < n && want < most; i++) {
		if (!stat(paths[i], &st) && S_ISREG(st.st_mode))
			bytes += st.st_size < BIG ? st.st_size : BIG;
		if ((size_t)(bytes / BIG) > want)
			want = (size_t)(bytes / BIG);
	}
	most = want < most ? want : most;
	most = most < n ? most : n;
	return most ? most : 1;
}

void cmd_dumps_tell(const struct cmd *cmd, const char *const *paths,
		    const struct cmd_dump_note *note, size_t n)
{
	size_t told = 0, more = 0;

	for (size_t i = 0; i < n; i++) {
		if (!note[i].text[0])
			continue;
		if (told++ < MAX_NOTES)
			cmd_note(cmd, "%s: %s", cmd_name_apart(cmd, paths[i]), note[i].text);
		else
			more++;
	}
	if (more)
		cmd_note(cmd, "%zu more dumps have notes, which are not shown", more);
}

/* Adds up the sums of the parts that are picked. */
static int add_parts(struct load *part, size_t nparts, struct tp_profile **sum, struct tp_err *err)
{
	struct rep_merger *all = NULL, *picked[CMD_THREADS * KINDS];
	size_t n = 0;
	int code;

	for (size_t i = 0; i < nparts; i++)
		for (size_t k = 0; k < part[i].nsums; k++)
			if (part[i].picked == ALL || part[i].picked == k)
				picked[n++] = part[i].sum[k];
	code = n > 1 ? rep_merger_new(&all, true, err) : 0;
	for (size_t i = 0; i < n && !code; i++) {
		code = rep_merger_finish(picked[i], sum, err);
		if (code || !all)
			continue;
		code =
		    rep_merger_add(all, &(struct rep_merge_part){.profile = *sum, .ratio = 1}, err);
		tp_profile_free(*sum);
		*sum = NULL;
	}
	if (!code && all)
		code = rep_merger_finish(all, sum, err);
	rep_merger_free(all);
	return code ? cmd_profiles_unlike(err) : 0;
}

#define MOST_DUMPS 100 /* most dumps taken from a file */

static struct cmd_profile *append(struct cmd *cmd, struct cmd_profiles *out, struct tp_profile *p,
				  const char *path, size_t nth, size_t of, struct tp_err *err)
{
	const char *name = cmd_name_apart(cmd, path);
	char *numbered = NULL;
	int code;

	if (of > 1 && asprintf(&numbered, "%s (%zu of %zu)", name, nth, of) < 0) {
		tp_profile_free(p);
		tp_nomem(err);
		return NULL;
	}
	code = cmd_profiles_append(out, p, of > 1 ? numbered : name, false, err);
	free(numbered);
	return code ? NULL : &out->item[out->n - 1];
}

/* Appends dumps of a file to the list, at most MOST_DUMPS: the first one and the latest ones. */
static int append_dumps(struct cmd *cmd, struct cmd_profiles *out, struct tp_profile_dumps *before,
			const char *path, struct tp_err *err)
{
	size_t left_out = before->total > before->n ? before->total - before->n - 1 : 0;

	for (size_t i = 0; i < before->n; i++) {
		struct tp_profile *p = before->p[i];
		struct cmd_profile *item;
		char warnings[400];

		before->p[i] = NULL;
		item = append(cmd, out, p, path, i ? left_out + i + 1 : 1, before->total, err);
		if (!item)
			return err->code;
		item->damaged = item->profile->nlosses > 0;
		if (item->damaged)
			cmd_note(cmd, "%s: is damaged: %s", item->name,
				 item->profile->losses[0].reason);
		if (*tp_profile_warnings(item->profile, warnings, sizeof(warnings)))
			cmd_note(cmd, "%s: %s", item->name, warnings);
	}
	if (left_out)
		cmd_note(cmd, "%s: holds %zu dumps; the first and the last %zu are compared",
			 cmd_name_apart(cmd, path), before->total, before->n);
	return 0;
}

/* Picks the sums of the dumps that are left. Returns false if they were added up with others. */
static bool pick_sums(struct load *part, size_t nparts)
{
	for (size_t p = 0; p < nparts; p++) {
		struct load *l = &part[p];

		l->picked = l->nsums;
		for (size_t i = l->from; i < l->to; i++)
			if (l->mark[i].name)
				l->picked = l->kind[i];
		for (size_t i = l->from; i < l->to; i++)
			if (l->mixed || (l->mark[i].name != NULL) != (l->kind[i] == l->picked))
				return false;
	}
	return true;
}

/* Leaves dumps out of the sum. Sets *again and loads the others a second time if they were added up with
 * those. */
static int settle(struct cmd *cmd, struct load *all, size_t nparts, size_t n, bool *again,
		  struct cmd_profiles *out)
{
	const char **some = calloc(n, sizeof(*some));
	size_t nsome = 0;
	bool other = false;
	int status = some ? cmd_sum_settle(cmd, all->mark, n) : cmd_nomem(cmd);

	for (size_t i = 0; i < n && !status; i++)
		if (all->mark[i].name)
			some[nsome++] = all->paths[i];
	*again = !status && nsome < n && (nsome < 2 || !pick_sums(all, nparts));
	for (size_t i = 0; i < n && !status && !*again; i++)
		if (!all->mark[i].name)
			all->note[i] = (struct cmd_dump_note){0};
	if (*again) {
		memset(all->note, 0, n * sizeof(*all->note)); /* they come again, too */
		status = cmd_dumps_load(cmd, some, nsome, false, nsome > 1, &other, out);
	}
	if (*again && other)
		status = cmd_reject(cmd, CMD_INPUT, "%s: changed while it was read", some[0]);
	free(some);
	return status;
}

static int finish_parts(struct cmd *cmd, struct load *part, size_t nparts, bool add,
			struct cmd_profiles *out)
{
	const char *const *paths = part[0].paths;
	struct tp_profile *sum = NULL;
	char *name = NULL;
	bool again = false;
	size_t first = 0, left = 0;
	struct tp_err err;
	int code = 0, status;

	for (size_t i = 0; i < nparts; i++)
		if (part[i].code)
			return cmd_fail(cmd, paths[part[i].failed], &part[i].err);
	if (add) {
		status = settle(cmd, part, nparts, part[nparts - 1].to, &again, out);
		if (status || again)
			return status;
		code = add_parts(part, nparts, &sum, &err);
		for (size_t i = part[nparts - 1].to; i-- > 0;)
			if (part[0].mark[i].name) {
				first = i;
				left++;
			}
		if (!code && asprintf(&name, "%s and %zu more", cmd_name_apart(cmd, paths[first]),
				      left - 1) < 0) {
			name = NULL;
			tp_profile_free(sum);
			code = tp_nomem(&err);
		}
		if (!code)
			code = cmd_profiles_append(out, sum, name, false, &err);
		free(name);
		return code ? cmd_fail(cmd, NULL, &err) : CMD_OK;
	}
	for (size_t i = 0; i < part[nparts - 1].to && !code; i++) {
		struct tp_profile_dumps *before = part[0].before;
		struct tp_profile *p = part[0].item[i].profile;
		size_t of = before ? before->total : 1;

		part[0].item[i].profile = NULL;
		if (before)
			code = append_dumps(cmd, out, before, paths[i], &err);
		if (code)
			tp_profile_free(p);
		else if (!append(cmd, out, p, paths[i], of, of, &err))
			code = err.code;
	}
	return code ? cmd_fail(cmd, NULL, &err) : CMD_OK;
}

int cmd_dumps_load(struct cmd *cmd, const char *const *paths, size_t n, bool each_dump, bool add,
		   bool *other, struct cmd_profiles *out)
{
	size_t nparts = thread_count(paths, n);
	struct load part[CMD_THREADS] = {0};
	struct cmd_profile *item = calloc(n, sizeof(*item));
	struct cmd_dump_note *note = calloc(n, sizeof(*note));
	struct cmd_mark *mark = calloc(add ? n : 1, sizeof(*mark));
	uint8_t *kind = calloc(n, sizeof(*kind));
	struct tp_profile *dump[MOST_DUMPS - 1] = {0};
	struct tp_profile_dumps before = {.p = dump, .room = MOST_DUMPS - 1};
	struct tp_err err;
	int status = CMD_OK, code = item && note && mark && kind ? 0 : tp_nomem(&err);

	if (!code)
		code = cmd_jail_withdraw(&err);
	for (size_t i = 0; i < nparts && !code; i++) {
		part[i] = (struct load){.paths = paths,
					.from = n * i / nparts,
					.to = n * (i + 1) / nparts,
					.item = item,
					.note = note,
					.mark = mark,
					.kind = kind,
					.add = add,
					.always = nparts > 1,
					.picked = ALL,
					.before = each_dump && n == 1 ? &before : NULL};
		code = cmd_names_init(&part[i].names, cmd, &err);
	}
	if (!code)
		cmd_in_threads(load_part, part, sizeof(*part), nparts);
	for (size_t i = 0; i < nparts && !code; i++)
		*other |= part[i].other;
	if (code)
		status = cmd_fail(cmd, NULL, &err);
	else if (!*other)
		status = finish_parts(cmd, part, nparts, add, out);
	if (!code && !status && !*other) {
		cmd_dumps_tell(cmd, paths, note, n);
		for (size_t i = 0; i < n; i++)
			out->item[add ? 0 : before.n + i].damaged |= note[i].damaged;
	}
	for (size_t i = 0; i < nparts; i++) {
		for (size_t k = 0; k < part[i].nsums; k++)
			rep_merger_free(part[i].sum[k]);
		tp_dict_free(part[i].dict);
		cmd_names_release(&part[i].names);
	}
	for (size_t i = 0; i < n && item; i++)
		tp_profile_free(item[i].profile);
	for (size_t i = 0; i < before.n; i++)
		tp_profile_free(dump[i]);
	free(item);
	free(note);
	free(mark);
	free(kind);
	return status;
}
