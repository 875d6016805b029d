#include "store/rowqueue.h"

#include <stdlib.h>

#include "store/writer.h"

static int pack(struct tp_store_run *run, const struct tp_row_chunk *c, struct tp_err *err)
{
	const struct tp_table_desc *table = &tp_tables[c->table];
	struct tp_row_queue *q = &run->queue;

	q->encoder.packer.codec = run->codec;
	q->blob.size = 0;
	if (tp_rows_encode(&q->encoder, &q->blob, c->values, c->stride, c->rows, table->ncolumns))
		return tp_nomem(err);
	return tp_run_put_block(run, table->name, c->part, c->rows, TP_NULL, TP_NULL,
				q->encoder.raw_size, &q->blob, err);
}

static void *run_thread(void *arg)
{
	struct tp_store_run *run = arg;
	struct tp_row_queue *q = &run->queue;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		struct tp_err err = {.offset = TP_OFFSET_NONE};
		struct tp_row_chunk c;
		int code = 0;

		while (!q->n && !q->closed)
			pthread_cond_wait(&q->filled, &q->lock);
		if (!q->n)
			break;
		c = q->chunks[q->first];
		/* After a failure, chunks are only removed. */
		if (!q->code) {
			pthread_mutex_unlock(&q->lock);
			code = pack(run, &c, &err);
			pthread_mutex_lock(&q->lock);
		}
		free(c.values);
		if (code && !q->code) {
			q->code = code;
			q->err = err;
		}
		q->first = (q->first + 1) % TP_ROW_QUEUE;
		q->n--;
		pthread_cond_signal(&q->freed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

void tp_row_queue_start(struct tp_store_run *run)
{
	struct tp_row_queue *q = &run->queue;

	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->freed, NULL);
	q->running = !pthread_create(&q->thread, NULL, run_thread, run);
	if (!q->running) {
		pthread_mutex_destroy(&q->lock);
		pthread_cond_destroy(&q->filled);
		pthread_cond_destroy(&q->freed);
	}
}

int tp_row_queue_put(struct tp_store_run *run, const struct tp_row_chunk *chunk, bool *taken,
		     struct tp_err *err)
{
	struct tp_row_queue *q = &run->queue;
	int code;

	*taken = q->running;
	if (!q->running)
		return pack(run, chunk, err);
	pthread_mutex_lock(&q->lock);
	while (q->n == TP_ROW_QUEUE)
		pthread_cond_wait(&q->freed, &q->lock);
	q->chunks[(q->first + q->n++) % TP_ROW_QUEUE] = *chunk;
	pthread_cond_signal(&q->filled);
	code = q->code;
	if (code && err)
		*err = q->err;
	pthread_mutex_unlock(&q->lock);
	return code;
}

int tp_row_queue_finish(struct tp_store_run *run, struct tp_err *err)
{
	struct tp_row_queue *q = &run->queue;

	if (q->running) {
		pthread_mutex_lock(&q->lock);
		q->closed = true;
		pthread_cond_signal(&q->filled);
		pthread_mutex_unlock(&q->lock);
		pthread_join(q->thread, NULL);
		pthread_mutex_destroy(&q->lock);
		pthread_cond_destroy(&q->filled);
		pthread_cond_destroy(&q->freed);
		q->running = false;
	}
	if (q->code && err)
		*err = q->err;
	return q->code;
}

void tp_row_queue_release(struct tp_store_run *run)
{
	tp_row_queue_finish(run, NULL);
	tp_rows_encoder_release(&run->queue.encoder);
	tp_buf_release(&run->queue.blob);
}
