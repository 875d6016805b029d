#include "tprof-tui/view/timeline/look.h"

#include "base/sum.h"

const char *const tl_shown[TL_NSHOWN] = {"running", "runnable", "syscall", "blocked",
					 "lost",    "idle",	""};

static const enum tl_show shown_as[TP_NSTATES] = {
    [TP_ST_NONE] = TL_SHOW_NOTHING,
    [TP_ST_UNDETERMINED] = TL_SHOW_LOST,
    [TP_ST_NOT_EXIST] = TL_SHOW_NOTHING,
    [TP_ST_RUNNABLE] = TL_SHOW_RUNNABLE,
    [TP_ST_RUNNING] = TL_SHOW_RUNNING,
    [TP_ST_WAITING] = TL_SHOW_BLOCKED,
    [TP_ST_SYSCALL] = TL_SHOW_SYSCALL,
    [TP_ST_IDLE] = TL_SHOW_IDLE,
    [TP_ST_SYSCALL_BLOCKED] = TL_SHOW_SYSCALL,
    [TP_ST_LOST] = TL_SHOW_LOST,
};

static const enum tui_style styles[TL_NSHOWN] = {
    [TL_SHOW_RUNNING] = TUI_STYLE_RUNNING, [TL_SHOW_RUNNABLE] = TUI_STYLE_RUNNABLE,
    [TL_SHOW_SYSCALL] = TUI_STYLE_SYSCALL, [TL_SHOW_BLOCKED] = TUI_STYLE_BLOCKED,
    [TL_SHOW_LOST] = TUI_STYLE_LOST,	   [TL_SHOW_IDLE] = TUI_STYLE_DIM,
    [TL_SHOW_NOTHING] = TUI_STYLE_NORMAL,
};

/* The glyphs of each state, from a small share of the cell to all of it. */
#define MOST_LEVELS 8
static const struct {
	int n;
	const char *glyph[MOST_LEVELS];
	char ascii[MOST_LEVELS + 1];
} levels[TL_NSHOWN] = {
    [TL_SHOW_RUNNING] = {8, {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "_.:=+**#"},
    [TL_SHOW_RUNNABLE] = {3, {"░", "▒", "▓"}, "rrR"},
    [TL_SHOW_SYSCALL] = {2, {"s", "S"}, "sS"},
    [TL_SHOW_BLOCKED] = {1, {"·"}, "-"},
    [TL_SHOW_LOST] = {1, {"?"}, "?"},
    [TL_SHOW_IDLE] = {1, {" "}, " "},
    [TL_SHOW_NOTHING] = {1, {" "}, " "},
};

uint32_t tl_shown_states(enum tl_show what)
{
	uint32_t states = 0;

	for (unsigned i = 0; i < TP_NSTATES; i++)
		states |= (uint32_t)(shown_as[i] == what) << i;
	return states;
}

int64_t tl_shown_ns(const struct rep_cell *cell, enum tl_show what)
{
	int64_t ns = 0;

	for (int i = 0; i < TP_NSTATES; i++)
		if (shown_as[i] == what)
			tp_sum(&ns, cell->ns[i]);
	return ns;
}

enum tl_show tl_show_of(const struct rep_cell *cell)
{
	int64_t ns[TL_NSHOWN] = {0};
	enum tl_show most = TL_SHOW_NOTHING;

	for (int i = 0; i < TP_NSTATES; i++)
		tp_sum(&ns[shown_as[i]], cell->ns[i]);
	ns[TL_SHOW_NOTHING] = 0;
	for (enum tl_show i = TL_SHOW_RUNNING; i <= TL_SHOW_SYSCALL; i++)
		if (ns[i] > ns[most])
			most = i;
	for (enum tl_show i = TL_SHOW_BLOCKED; i <= TL_SHOW_IDLE && most >= TL_SHOW_BLOCKED; i++)
		if (ns[i] > ns[most])
			most = i;
	return most;
}

static struct tl_look look(enum tl_show what, int level)
{
	return (struct tl_look){levels[what].glyph[level], levels[what].ascii[level], styles[what]};
}

/* The busy share of one goroutine, P or M refers to the time in which it existed; that of several
 * together refers to the cell's width, so that a full cell means one busy at any time. */
struct tl_look tl_look_of(const struct rep_cell *cell, int64_t width)
{
	enum tl_show what = tl_show_of(cell);
	int64_t busy = 0, all = 0;
	int n = levels[what].n, level;

	for (enum tl_show i = TL_SHOW_RUNNING; i < TL_SHOW_NOTHING; i++) {
		int64_t ns = tl_shown_ns(cell, i);

		tp_sum(&all, ns);
		tp_sum(&busy, i <= TL_SHOW_SYSCALL ? ns : 0);
	}
	if (n == 1)
		return look(what, 0);
	if (all > width)
		all = width;
	if (busy >= all)
		return look(what, n - 1);
	/* A small share still gets the first glyph; only all of it gets the last. */
	level = (int)((double)busy / (double)all * n);
	return look(what, level < n - 1 ? level : n - 2);
}

struct tl_look tl_look_plain(enum tl_show what)
{
	return look(what, what == TL_SHOW_RUNNABLE ? 1 : levels[what].n - 1);
}
