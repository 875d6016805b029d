#include "common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "common/limit.h"

#define FIRST_NS 250000000 /* shorter work is not worth a bar */
#define EVERY_NS 100000000

static volatile sig_atomic_t stop_signal;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void on_signal(int number)
{
	stop_signal = number;
}

void cmd_interruptible(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old, act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

bool cmd_stopped(void)
{
	return stop_signal;
}

void cmd_interrupted(void)
{
	if (!stop_signal)
		return;
	signal(stop_signal, SIG_DFL);
	raise(stop_signal);
}

void cmd_progress_init(struct cmd_progress *p, const char *what)
{
	const char *term = getenv("TERM");

	memset(p, 0, sizeof(*p));
	p->what = what;
	p->on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void cmd_progress_line(char *line, int size, const char *what, uint64_t done, uint64_t total,
		       int64_t elapsed_ns, int width)
{
	enum { BAR = 24 };
	double seconds = (double)elapsed_ns / 1e9;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char bar[BAR + 1], amount[TP_UNITS_SIZE], speed[TP_UNITS_SIZE], left[32] = "", text[512];
	int cells = 0;

	if (done > total && total)
		done = total;
	for (int i = 0; i < BAR; i++)
		bar[i] = total && (double)i / BAR < (double)done / (double)total ? '#' : '.';
	bar[BAR] = '\0';
	tp_fmt_bytes(amount, (int64_t)done);
	tp_fmt_bytes(speed, (int64_t)rate);
	if (total && rate > 0) {
		double s = (double)(total - done) / rate;

		if (s < 1)
			snprintf(left, sizeof(left), ", <1s left");
		else if (s < 90)
			snprintf(left, sizeof(left), ", %.0fs left", s);
		else
			snprintf(left, sizeof(left), ", %.0fmin left", s / 60);
	}
	if (total)
		snprintf(text, sizeof(text), "%3.0f%% [%s] %s, %s/s%s  %s",
			 100 * (double)done / (double)total, bar, amount, speed, left, what);
	else
		snprintf(text, sizeof(text), "%s, %s/s  %s", amount, speed, what);
	snprintf(line, (size_t)size, "%s", text);
	/* Cut by cells, at the start of a character: bytes 10xxxxxx continue one. */
	for (char *c = line; *c; c++) {
		/* What a file is called must not steer the terminal. */
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
		else if ((unsigned char)*c == 0xc2 && c[1] && (unsigned char)c[1] < 0xa0)
			c[0] = c[1] = '?';
		if (((unsigned char)*c & 0xc0) != 0x80 && ++cells > width) {
			*c = '\0';
			break;
		}
	}
}

int cmd_progress_step(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	struct cmd_progress *p = ctx;
	struct winsize size;
	char line[512];
	int64_t now;
	int width = 80;

	if (stop_signal)
		return 1;
	if (!strcmp(stage, "unpack"))
		cmd_limit_stdin(done);
	if (!p->on)
		return 0;
	now = now_ns();
	if (strcmp(stage, p->stage) != 0) {
		snprintf(p->stage, sizeof(p->stage), "%s", stage);
		p->stage_ns = now;
		if (!p->next_ns)
			p->next_ns = now + FIRST_NS;
	}
	if (now < p->next_ns)
		return 0;
	p->next_ns = now + EVERY_NS;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		width = size.ws_col;
	cmd_progress_line(line, sizeof(line), p->what, done, total, now - p->stage_ns, width - 1);
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	p->shown = true;
	return 0;
}

void cmd_progress_end(struct cmd_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
