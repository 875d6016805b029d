#include "common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/limit.h"
#include "output/text.h"

#define FIRST_NS 250000000 /* delay before a bar is drawn: short work needs none */
#define EVERY_NS 100000000

static volatile sig_atomic_t stop_signal;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void (*volatile removes)(void);

void cmd_interrupt_remove(void)
{
	if (removes)
		removes();
}

static void end(int number)
{
	cmd_interrupt_remove();
	signal(number, SIG_DFL);
	raise(number);
}

/* Notes the signal. A second one ends the process, as nothing seems to check cmd_stopped(). */
static void on_signal(int number)
{
	if (stop_signal)
		end(number);
	stop_signal = number;
}

static void take(void (*handler)(int number))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old, act = {.sa_handler = handler};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) &&
		    (old.sa_handler == SIG_DFL || old.sa_handler == on_signal ||
		     old.sa_handler == end))
			sigaction(signals[i], &act, NULL);
}

void cmd_interruptible(void)
{
	take(on_signal);
}

void cmd_interrupt_ends(void)
{
	take(end);
	cmd_interrupted();
}

void cmd_interrupt_removes(void (*fn)(void))
{
	removes = fn;
}

bool cmd_stopped(void)
{
	return stop_signal;
}

void cmd_interrupted(void)
{
	if (stop_signal)
		end(stop_signal);
}

void cmd_progress_init(struct cmd_progress *p, const char *what)
{
	const char *term = getenv("TERM");
	struct tp_buf shown = {0};
	size_t n;

	memset(p, 0, sizeof(*p));
	/* A file's name must not contain control sequences. */
	if (!rep_escape(&shown, what, strlen(what), REP_ESCAPE_SHOWN) && shown.size) {
		n = shown.size < sizeof(p->what) ? shown.size : sizeof(p->what) - 1;
		/* Bytes 10xxxxxx continue a character. */
		while (n < shown.size && n && (shown.data[n] & 0xc0) == 0x80)
			n--;
		memcpy(p->what, shown.data, n);
	}
	tp_buf_release(&shown);
	p->on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

enum { BAR = 24 };

static void draw_bar(char bar[BAR + 1], uint64_t done, uint64_t total)
{
	for (int i = 0; i < BAR; i++)
		bar[i] = total && (double)i / BAR < (double)done / (double)total ? '#' : '.';
	bar[BAR] = '\0';
}

static void say_left(char left[32], uint64_t done, uint64_t total, double rate)
{
	double s;

	*left = '\0';
	if (!total || rate <= 0)
		return;
	s = (double)(total - done) / rate;
	if (s < 1)
		snprintf(left, 32, ", <1s left");
	else if (s < 90)
		snprintf(left, 32, ", %.0fs left", s);
	else
		snprintf(left, 32, ", %.0fmin left", s / 60);
}

/* Cuts a line to `width` cells, between characters. */
static void cut_line(char *line, int width)
{
	size_t used = 0, n;

	for (char *c = line; *c; c += n) {
		for (n = 1; ((unsigned char)c[n] & 0xc0) == 0x80; n++)
			;
		used += rep_text_width(c, n);
		if (width < 0 || used > (size_t)width) {
			*c = '\0';
			break;
		}
	}
}

/* Returns what a stage counts, NULL for bytes. */
static const char *unit_of(const char *stage)
{
	static const char *const units[][2] = {
	    {"list", "stores"}, {"merge", "runs"}, {"verify", "runs"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(stage, units[i][0]))
			return units[i][1];
	return NULL;
}

void cmd_progress_line(char *line, int size, const char *what, const char *unit, uint64_t done,
		       uint64_t total, int64_t elapsed_ns, int width)
{
	double seconds = (double)elapsed_ns / 1e9;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char bar[BAR + 1], amount[TP_UNITS_SIZE], speed[TP_UNITS_SIZE], left[32], text[512];
	char count[TP_COUNT_SIZE], of[TP_COUNT_SIZE];

	if (done > total && total)
		done = total;
	draw_bar(bar, done, total);
	tp_fmt_bytes(speed, (int64_t)rate);
	say_left(left, done, total, rate);
	if (unit && total)
		snprintf(text, sizeof(text), "%3.0f%% [%s] %s of %s %s%s  %s",
			 100 * (double)done / (double)total, bar,
			 tp_fmt_count(count, (int64_t)done), tp_fmt_count(of, (int64_t)total), unit,
			 left, what);
	else if (unit)
		snprintf(text, sizeof(text), "%s %s  %s", tp_fmt_count(count, (int64_t)done), unit,
			 what);
	else if (total)
		snprintf(text, sizeof(text), "%3.0f%% [%s] %s, %s/s%s  %s",
			 100 * (double)done / (double)total, bar,
			 tp_fmt_bytes(amount, (int64_t)done), speed, left, what);
	else
		snprintf(text, sizeof(text), "%s, %s/s  %s", tp_fmt_bytes(amount, (int64_t)done),
			 speed, what);
	snprintf(line, (size_t)size, "%s", text);
	cut_line(line, width);
}

void cmd_progress_tally_line(char *line, int size, const struct cmd_tally *t, int64_t elapsed_ns,
			     int width)
{
	double seconds = (double)elapsed_ns / 1e9;
	uint64_t done = t->bytes < t->nbytes ? t->bytes : t->nbytes;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char bar[BAR + 1], dumps[28], of[28], failed[28], speed[TP_UNITS_SIZE], left[32];

	draw_bar(bar, done, t->nbytes);
	tp_fmt_bytes(speed, (int64_t)rate);
	say_left(left, done, t->nbytes, rate);
	snprintf(line, (size_t)size, "%3.0f%% [%s] %s of %s dumps%s%s%s, %s/s%s",
		 t->nbytes ? 100 * (double)done / (double)t->nbytes : 0, bar,
		 tp_fmt_count(dumps, (int64_t)t->dumps), tp_fmt_count(of, (int64_t)t->ndumps),
		 t->failed ? ", " : "", t->failed ? tp_fmt_count(failed, (int64_t)t->failed) : "",
		 t->failed ? " failed" : "", speed, left);
	cut_line(line, width);
}

/* Returns whether the bar is due to be drawn. */
static bool is_due(struct cmd_progress *p, const char *stage, int64_t *now)
{
	if (!p->on)
		return false;
	*now = now_ns();
	if (strcmp(stage, p->stage) != 0) {
		snprintf(p->stage, sizeof(p->stage), "%s", stage);
		p->stage_ns = *now;
		if (!p->next_ns)
			p->next_ns = *now + FIRST_NS;
	}
	if (*now < p->next_ns)
		return false;
	p->next_ns = *now + EVERY_NS;
	return true;
}

static int terminal_width(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

static bool drawn; /* a line is on the screen */

static void draw(struct cmd_progress *p, const char *line)
{
	drawn = true;
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	p->shown = true;
}

void cmd_progress_tally(struct cmd_progress *p, const struct cmd_tally *t)
{
	char line[512];
	int64_t now;

	if (!is_due(p, "read", &now))
		return;
	cmd_progress_tally_line(line, sizeof(line), t, now - p->stage_ns, terminal_width() - 1);
	draw(p, line);
}

int cmd_progress_step(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	struct cmd_progress *p = ctx;
	char line[512];
	int64_t now;

	if (stop_signal)
		return 1;
	if (!strcmp(stage, "unpack"))
		cmd_limit_stdin(done);
	if (!is_due(p, stage, &now))
		return 0;
	cmd_progress_line(line, sizeof(line), p->what, unit_of(stage), done, total,
			  now - p->stage_ns, terminal_width() - 1);
	draw(p, line);
	return 0;
}

void cmd_progress_end(struct cmd_progress *p)
{
	if (p->shown)
		cmd_progress_hide();
	p->shown = false;
}

void cmd_progress_hide(void)
{
	if (drawn)
		fputs("\r\033[K", stderr);
	drawn = false;
}
