/* bench: times whole processes side by side, for `make bench` and BENCHMARKS.md. Not installed.
 *
 *   bench [-n RUNS] [-1] [-c] [-u TEXT] COMMAND [PEER]
 *
 * Runs COMMAND and PEER (each a shell command line) in turn, A B A B …, after one warm-up each, and
 * prints one line: median wall seconds and peak resident MiB of each, the median of the ratios pair by
 * pair, and the interval that contains that median with 95 % confidence. Pairs, because a machine's
 * speed drifts; medians, because it is noisy. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_RUNS 101

struct args {
	int runs;
	bool one_cpu;
	bool cpu;	   /* processor time instead of wall */
	const char *until; /* a command is over when it has printed this */
	const char *command[2];
	int ncommands;
};

struct sample {
	double wall_s, cpu_s;
	double peak_mib;
};

static const struct argp_option options[] = {
    {"runs", 'n', "RUNS", 0, "Counted runs of each command (default 5)", 0},
    {"one-cpu", '1', NULL, 0, "Keep COMMAND on one processor (PEER keeps them all)", 0},
    {"cpu", 'c', NULL, 0, "Seconds of processors, user and system, instead of the clock's", 0},
    {"until", 'u', "TEXT", 0, "PEER is done, and ended, when it has printed TEXT", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	char *end;

	switch (key) {
	case 'n':
		args->runs = (int)strtol(arg, &end, 10);
		if (*end || args->runs < 1 || args->runs > MAX_RUNS)
			argp_error(state, "RUNS is a number from 1 to %d", MAX_RUNS);
		return 0;
	case '1':
		args->one_cpu = true;
		return 0;
	case 'c':
		args->cpu = true;
		return 0;
	case 'u':
		args->until = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->ncommands == 2)
			return ARGP_ERR_UNKNOWN;
		args->command[args->ncommands++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void child(const char *command, int out, bool one_cpu)
{
	if (one_cpu) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((size_t)sched_getcpu(), &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Reads what the command prints; returns when it has printed `until` or closed its output. */
static void drain(int fd, const char *until)
{
	char text[8192];
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, sizeof(text) - 1 - used)) > 0 ||
	       (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		used += (size_t)n;
		text[used] = '\0';
		if (until && strstr(text, until))
			return;
		/* Keep a tail, for a text that is split between two reads. */
		if (used > sizeof(text) / 2) {
			memmove(text, text + used - 256, 256);
			used = 256;
		}
	}
}

static int run_once(const char *command, bool one_cpu, const char *until, struct sample *s)
{
	struct timespec t0, t1;
	struct rusage usage;
	int out[2], status;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid)
		child(command, out[1], one_cpu);
	close(out[1]);
	drain(out[0], until);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (until)
		kill(-pid, SIGKILL);
	close(out[0]);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	if (!until)
		clock_gettime(CLOCK_MONOTONIC, &t1);
	s->wall_s = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;
	s->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	s->peak_mib = (double)usage.ru_maxrss / 1024;
	if (!until && (!WIFEXITED(status) || WEXITSTATUS(status))) {
		fprintf(stderr, "bench: failed: %s\n", command);
		return -1;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
	double sorted[MAX_RUNS];

	memcpy(sorted, values, (size_t)n * sizeof(*values));
	qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Returns the rank r such that the rth lowest and the rth highest of n values enclose the median with
 * at least 95 % confidence (by the binomial distribution); 1, all that is known, for few values. */
static int rank_of_interval(int n)
{
	double below = 1,
	       p = 1; /* times 2^n: probability of at most, and exactly, r - 1 below it */
	double limit = 0.025;
	int r = 1;

	for (int i = 0; i < n; i++)
		limit *= 2;
	for (; r < n / 2; r++) {
		p *= (double)(n - r + 1) / r;
		below += p;
		if (below > limit)
			break;
	}
	return r;
}

static int run(const struct args *args)
{
	double wall[2][MAX_RUNS] = {{0}}, peak[2] = {0, 0}, ratio[MAX_RUNS] = {0};
	int ncommands = args->ncommands == 2 ? 2 : 1;
	/* One warm-up, unless a run is an expensive affair of its own. */
	int warmups = args->runs > 1;

	for (int i = -warmups; i < args->runs; i++) {
		for (int c = 0; c < ncommands; c++) {
			struct sample s;

			if (run_once(args->command[c], args->one_cpu && !c, c ? args->until : NULL,
				     &s))
				return 4;
			if (i < 0)
				continue;
			wall[c][i] = args->cpu ? s.cpu_s : s.wall_s;
			if (s.peak_mib > peak[c])
				peak[c] = s.peak_mib;
		}
		if (i >= 0 && ncommands == 2)
			ratio[i] = wall[0][i] / wall[1][i];
	}
	printf("%.4f %.0f", median(wall[0], args->runs), peak[0]);
	if (ncommands == 2) {
		int rank = rank_of_interval(args->runs);
		double middle = median(ratio, args->runs);

		qsort(ratio, (size_t)args->runs, sizeof(*ratio), by_value);
		printf(" %.4f %.0f %.4f %.4f %.4f", median(wall[1], args->runs), peak[1], middle,
		       ratio[rank - 1], ratio[args->runs - rank]);
	}
	printf("\n");
	return ferror(stdout) ? 4 : 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "COMMAND [PEER]",
	    .doc = "Times COMMAND, against PEER where one is given.\vPrints: wall seconds and "
		   "peak MiB of COMMAND, the same of PEER, the ratio COMMAND/PEER, and its 95 % "
		   "interval.",
	};
	struct args args = {.runs = 5};

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return run(&args);
}
