#include "tprof-web/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tprof-web/runner.h"

#define MESSAGE ((size_t)16 << 10)

int web_ask_init(struct web_asker *a, int channel, struct tp_err *err)
{
	a->channel = channel;
	if (pthread_mutex_init(&a->lock, NULL) || sem_init(&a->free, 0, WEB_RUNS))
		return tp_nomem(err);
	return 0;
}

static int gone(struct tp_err *err)
{
	return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "the reader has left");
}

bool web_ask_is_gone(int reader)
{
	struct pollfd p = {.fd = reader, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* Waits until fewer commands run, or the reader leaves. */
static int wait_free(struct web_asker *a, int reader, struct tp_err *err)
{
	struct timespec until;

	do {
		if (web_ask_is_gone(reader))
			return gone(err);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 50000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (sem_timedwait(&a->free, &until));
	return 0;
}

/* ---- the question ---- */

static int put_message(char *message, size_t *size, const char *word)
{
	size_t n = strlen(word) + 1;

	if (n > WEB_MESSAGE - *size)
		return -1;
	memcpy(message + *size, word, n);
	*size += n;
	return 0;
}

static int receive(int channel, int fds[WEB_NPIPES])
{
	int code = -1;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(WEB_NPIPES * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = &code, .iov_len = sizeof(code)};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.room,
			   .msg_controllen = sizeof(control.room)};
	struct cmsghdr *head;

	if (recvmsg(channel, &m, MSG_CMSG_CLOEXEC) != sizeof(code) || code)
		return -1;
	head = CMSG_FIRSTHDR(&m);
	if (!head || head->cmsg_len != CMSG_LEN(WEB_NPIPES * sizeof(int)))
		return -1;
	memcpy(fds, CMSG_DATA(head), WEB_NPIPES * sizeof(int));
	return 0;
}

static int start(struct web_asker *a, const struct cmd_allowed *c, const struct cmd_words *words,
		 int fds[WEB_NPIPES], struct tp_err *err)
{
	char message[WEB_MESSAGE];
	size_t size = 0;
	int failed = put_message(message, &size, c->name);

	for (size_t i = 0; i < words->n; i++)
		failed |= put_message(message, &size, words->word[i]);
	if (failed)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "the words are too long");
	pthread_mutex_lock(&a->lock);
	failed = send(a->channel, message, size, MSG_NOSIGNAL) != (ssize_t)size ||
		 receive(a->channel, fds);
	pthread_mutex_unlock(&a->lock);
	return failed
		   ? tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "tprof-%s cannot be started", c->name)
		   : 0;
}

/* ---- the answer ---- */

/* Reads what there is. Sets *more to whether there may be more. */
static int take(int fd, struct tp_buf *to, bool *more, struct tp_err *err)
{
	ssize_t n;

	if (tp_buf_reserve(to, 1 << 16))
		return tp_nomem(err);
	n = read(fd, to->data + to->size, 1 << 16);
	if (n > 0)
		to->size += (size_t)n;
	*more = n > 0 || (n < 0 && errno == EINTR);
	return 0;
}

/* Reads all that the command writes, until it ends. */
static int collect(const int fds[WEB_NPIPES], int reader, struct tp_buf *to[WEB_NPIPES],
		   struct tp_err *err)
{
	struct pollfd p[WEB_NPIPES + 1] = {[WEB_NPIPES] = {.fd = reader, .events = POLLRDHUP}};
	size_t open = WEB_NPIPES;
	int code = 0;

	for (int i = 0; i < WEB_NPIPES; i++)
		p[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	while (open && !code) {
		if (poll(p, WEB_NPIPES + 1, -1) < 0 && errno != EINTR)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno));
		if (p[WEB_NPIPES].revents)
			return gone(err);
		for (int i = 0; i < WEB_NPIPES && !code; i++) {
			bool more = true;

			if (p[i].revents)
				code = take(fds[i], to[i], &more, err);
			if (more)
				continue;
			p[i].fd = -1;
			open--;
		}
		/* Of messages the beginning is enough. */
		if (to[WEB_ERRORS]->size > MESSAGE)
			to[WEB_ERRORS]->size = MESSAGE;
		if (!code && to[WEB_OUT]->size > WEB_OUTPUT)
			code = tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
					  "the answer is longer than %zu MiB; ask for fewer rows",
					  WEB_OUTPUT >> 20);
	}
	return code;
}

static int judge(const struct cmd_allowed *c, const struct tp_buf *end,
		 const struct tp_buf *message, struct tp_err *err)
{
	struct web_end e;

	if (end->size != sizeof(e))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "tprof-%s was lost", c->name);
	memcpy(&e, end->data, sizeof(e));
	if (e.late)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "tprof-%s took longer than %d seconds and was stopped; pick a "
				  "shorter time range",
				  c->name, WEB_RUN_SECONDS);
	/* 1: a check has found what it was told to look for. */
	if (e.status == 0 || e.status == 1)
		return 0;
	if (e.status < 0 || !message->size)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "tprof-%s failed", c->name);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "tprof-%s refused", c->name);
}

int web_ask_run(struct web_asker *a, const struct cmd_allowed *c, const struct cmd_words *words,
		int reader, struct tp_buf *out, struct tp_buf *message, struct tp_err *err)
{
	struct tp_buf end = {0}, *to[WEB_NPIPES] = {out, message, &end};
	int fds[WEB_NPIPES];
	int code = wait_free(a, reader, err);

	if (code)
		return code;
	code = start(a, c, words, fds, err);
	if (!code) {
		code = collect(fds, reader, to, err);
		for (int i = 0; i < WEB_NPIPES; i++)
			close(fds[i]);
		if (!code)
			code = judge(c, &end, message, err);
	}
	sem_post(&a->free);
	tp_buf_release(&end);
	return code;
}
