#include "tprof-record/parent/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tprof-record/parent/debuginfod.h"
#include "tprof-record/parent/pages.h"

/* Moves the snapshots of an image into `folder`, as its own folder now belongs to its successor. */
static void move(const struct rec_image *image, const char *folder, const struct rec_request *r)
{
	char from[PATH_MAX + 64], to[PATH_MAX + 64];

	for (unsigned n = 1; n <= image->snapshots; n++) {
		for (int kind = 0; kind < REC_NPROFILES; kind++) {
			const char *title = rec_profile_name((enum rec_profile_kind)kind);
			const char *ending =
			    rec_profile_is_text((enum rec_profile_kind)kind, r->text) ? "txt"
										      : "pb.gz";

			snprintf(from, sizeof(from), "%s/%s.%04u.%s", image->folder, title, n,
				 ending);
			snprintf(to, sizeof(to), "%s/%s.%04u.%s", folder, title, n, ending);
			/* Only requested kinds have files. */
			if (r->profile[kind])
				(void)!rename(from, to);
		}
	}
}

static void carry_out(struct rec_job *job, const struct rec_request *r, struct rec_images *images)
{
	struct rec_image *image = job->image;
	char folder[PATH_MAX];
	struct tp_err err;

	if (!image->folder[0] || (job->final && image->displaced)) {
		if (rec_image_folder(image, folder, &err)) {
			rec_dump_nothing(image, &err, &job->dump);
			return;
		}
		if (image->folder[0])
			move(image, folder, r);
		memcpy(image->folder, folder, sizeof(image->folder));
	}
	rec_dump_write(image, job->final, r, images, &job->dump);
}

static void *work(void *arg)
{
	struct rec_writer *w = arg;

	/* NULL if memory has run out: everything works without it, but takes longer. */
	struct rec_debuginfod debuginfod = {0};
	struct rec_images *images = rec_images_new(rec_debuginfod_fetch, &debuginfod);

	pthread_setname_np(pthread_self(), "tprof-write");
	rec_pages_stack(40 << 10);
	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct rec_job *job;

		while (!w->todo)
			pthread_cond_wait(&w->more, &w->lock);
		job = w->todo;
		w->todo = job->next;
		if (!w->todo)
			w->todo_end = &w->todo;
		pthread_mutex_unlock(&w->lock);
		carry_out(job, w->request, images);
		rec_debuginfod_remark(&debuginfod, job->dump.remark, sizeof(job->dump.remark));
		pthread_mutex_lock(&w->lock);
		job->next = NULL;
		*w->done_end = job;
		w->done_end = &job->next;
		(void)!write(w->bell, &(uint64_t){1}, sizeof(uint64_t));
	}
	return NULL;
}

int rec_writer_begin(struct rec_writer *w, const struct rec_request *request)
{
	pthread_t thread;

	w->request = request;
	w->todo_end = &w->todo;
	w->done_end = &w->done;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return w->bell >= 0 && !pthread_create(&thread, NULL, work, w) ? 0 : TP_ENOMEM;
}

int rec_writer_add(struct rec_writer *w, struct rec_image *image, bool final, int client,
		   bool is_last)
{
	struct rec_job *job = final ? image->last_job : calloc(1, sizeof(*job));

	if (!job)
		return TP_ENOMEM;
	if (final)
		image->last_job = NULL;
	job->image = image;
	job->final = final;
	job->client = client;
	job->is_last = is_last;
	pthread_mutex_lock(&w->lock);
	*w->todo_end = job;
	w->todo_end = &job->next;
	w->pending++;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
	return 0;
}

struct rec_job *rec_writer_next(struct rec_writer *w)
{
	struct rec_job *job;
	uint64_t n;

	(void)!read(w->bell, &n, sizeof(n));
	pthread_mutex_lock(&w->lock);
	job = w->done;
	if (job) {
		w->done = job->next;
		if (!w->done)
			w->done_end = &w->done;
		w->pending--;
	}
	pthread_mutex_unlock(&w->lock);
	return job;
}
