#include "profile/writer/lines.h"

#include <stdlib.h>
#include <string.h>

#include "profile/view.h"

static struct rep_lines_span *spans(const struct rep_lines *l)
{
	return (struct rep_lines_span *)(void *)l->spans.data;
}

void rep_lines_clear(struct rep_lines *l)
{
	l->bytes.size = l->spans.size = 0;
}

void rep_lines_release(struct rep_lines *l)
{
	tp_buf_release(&l->bytes);
	tp_buf_release(&l->spans);
}

size_t rep_lines_n(const struct rep_lines *l)
{
	return l->spans.size / sizeof(struct rep_lines_span);
}

void rep_lines_begin(struct rep_lines *l)
{
	struct rep_lines_span s = {.at = l->bytes.size};

	tp_buf_put(&l->spans, &s, sizeof(s));
}

static int compare(const void *a, const void *b)
{
	const struct rep_lines_span *x = a, *y = b;
	return rep_text_compare((struct tp_text){(const char *)x->data, (uint32_t)x->size},
				(struct tp_text){(const char *)y->data, (uint32_t)y->size});
}

int rep_lines_sort(struct rep_lines *l)
{
	size_t n = rep_lines_n(l);
	struct rep_lines_span *s = spans(l);

	if (tp_buf_text(&l->bytes, "") || tp_buf_text(&l->spans, "")) {
		rep_lines_clear(l);
		return TP_ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		s[i].data = l->bytes.data + s[i].at;
		s[i].size = (i + 1 < n ? s[i + 1].at : l->bytes.size) - s[i].at;
	}
	if (n > 1)
		qsort(s, n, sizeof(*s), compare);
	return 0;
}

struct tp_text rep_lines_at(const struct rep_lines *l, size_t i)
{
	const struct rep_lines_span *s = &spans(l)[i];

	return (struct tp_text){(const char *)l->bytes.data + s->at, (uint32_t)s->size};
}

size_t rep_labels_of_key(const struct tp_profile *p, const struct tp_label_set *set, size_t i)
{
	const struct tp_label *l = p->labels + set->first;
	size_t n = 1;

	while (i + n < set->n && l[i + n].key == l[i].key && l[i + n].numeric == l[i].numeric)
		n++;
	return n;
}
