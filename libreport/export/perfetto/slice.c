/* Slices of Ps: goroutines as they run there, system calls, ranges. */
#include <stdio.h>
#include <string.h>

#include "base/sum.h"
#include "export/perfetto/show.h"

bool show_in_range(const struct show *s)
{
	return s->now >= s->from && s->now < s->to;
}

void show_ts(struct show *s, int64_t at)
{
	json_ts(s->p, "ts", tp_plus(at, s->opt->shift_ns));
}

void show_text(struct show *s, const char *key, const char *before, uint32_t string,
	       const char *after)
{
	struct tp_text t = tp_dict_text(s->dict, string);
	char all[300];
	int n = snprintf(all, sizeof(all), "%s%.*s%s", before, (int)(t.size > 200 ? 200 : t.size),
			 t.text, after);

	json_text(s->p, key, all, n < 0 ? 0 : (size_t)n);
}

/* ---- names ---- */

/* Writes a number, or "17/2". */
void show_g_arg(struct show *s, const char *key, const struct g_state *g)
{
	char text[REP_GOID_SIZE];

	if (!g->goid.life) {
		json_uint(s->p, key, g->id);
		return;
	}
	json_str(s->p, key, rep_goid_text(&g->goid, text));
}

void show_g_name(const struct show *s, const struct g_state *g, char name[240])
{
	struct tp_text t = tp_dict_text(s->dict, g->name);

	char goid[REP_GOID_SIZE];

	snprintf(name, 240, "G%s%s%.*s", rep_goid_text(&g->goid, goid), t.size ? " " : "",
		 (int)(t.size > 190 ? 190 : t.size), t.text);
}

void show_name_g(struct show *s, struct g_state *g)
{
	char name[240];

	if (g->named)
		return;
	g->named = true;
	show_g_name(s, g, name);
	json_name(s->p, "thread_name", PERFETTO_GS, g->id, name, strlen(name));
}

void show_name_p(struct show *s, uint32_t p)
{
	char name[32];

	if (s->ps[p].named)
		return;
	s->ps[p].named = true;
	snprintf(name, sizeof(name), "Proc %lld", (long long)s->ps[p].id);
	json_name(s->p, "thread_name", PERFETTO_PS, (uint64_t)s->ps[p].id, name, strlen(name));
}

bool show_real_p(const struct show *s, uint32_t p)
{
	return p < s->np && s->ps[p].id >= 0;
}

/* ---- slices ---- */

bool show_slice(struct show *s, enum perfetto_section section, uint64_t tid, int64_t since)
{
	int64_t from = since < s->from ? s->from : since, end = s->now < s->to ? s->now : s->to;

	if (from > end || since >= s->to || (s->now <= s->from && s->now != since) ||
	    s->now < s->from)
		return false;
	json_begin(s->p, 'X', section, tid);
	show_ts(s, from);
	json_ts(s->p, "dur", tp_minus(end, from));
	s->p->slices++;
	return true;
}

bool show_p_slice(struct show *s, uint32_t p, int64_t since)
{
	if (since < s->to && s->now >= s->from)
		show_name_p(s, p);
	return show_slice(s, PERFETTO_PS, (uint64_t)s->ps[p].id, since);
}

void show_range_slice(struct show *s, uint32_t p, int64_t since, uint32_t name, uint32_t stack)
{
	if (since == INT64_MIN || !show_p_slice(s, p, since))
		return;
	show_text(s, "name", "", name, "");
	json_stack(s->p, "sf", stack);
	json_end(s->p);
}

void show_call_end(struct show *s, struct g_state *g, bool blocked)
{
	if (g->call_since == INT64_MIN)
		return;
	if (g->wanted && show_p_slice(s, g->p, g->call_since)) {
		json_str(s->p, "name", "syscall");
		json_stack(s->p, "sf", g->call_stack);
		json_args(s->p);
		json_str(s->p, "blocked", blocked ? "yes" : "no");
		json_args_end(s->p);
		json_end(s->p);
	}
	g->call_since = INT64_MIN;
}

void show_leave_p(struct show *s, struct g_state *g, uint32_t stack)
{
	char name[240];

	if (g->p == TP_NONE)
		return;
	if (g->wanted) {
		show_range_slice(s, g->p, g->assist_since, TP_STR_MARK_ASSIST, g->range_stack);
		show_range_slice(s, g->p, g->stw_since, g->stw, g->range_stack);
	}
	if (g->wanted && show_p_slice(s, g->p, g->on_since)) {
		show_g_name(s, g, name);
		json_text(s->p, "name", name, strlen(name));
		if (g->shown == TP_NONE) {
			json_stack(s->p, "sf", g->stack);
			g->shown = 0;
		}
		json_stack(s->p, "esf", stack);
		json_args(s->p);
		show_g_arg(s, "goroutine", g);
		json_args_end(s->p);
		json_end(s->p);
	}
	if (s->ps[g->p].in_call == (uint32_t)(g - s->gs))
		s->ps[g->p].in_call = TP_NONE;
	g->p = TP_NONE;
	g->call_since = INT64_MIN;
	/* Ranges continue where it runs next. */
	if (g->assist_since != INT64_MIN)
		g->assist_since = INT64_MAX;
	if (g->stw_since != INT64_MIN)
		g->stw_since = INT64_MAX;
}

void show_enter_p(struct g_state *g, uint32_t p, int64_t since)
{
	g->p = p;
	g->on_since = since;
	if (g->assist_since == INT64_MAX)
		g->assist_since = since;
	if (g->stw_since == INT64_MAX)
		g->stw_since = since;
}

void show_instant(struct show *s, enum perfetto_section section, uint64_t tid, const char *name,
		  uint32_t stack)
{
	json_begin(s->p, 'i', section, tid);
	show_ts(s, s->now);
	json_str(s->p, "name", name);
	json_str(s->p, "s", "t");
	json_stack(s->p, "sf", stack);
	json_end(s->p);
}
