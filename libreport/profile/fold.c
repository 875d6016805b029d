#include "profile/fold.h"

#include <stdlib.h>

#include "base/many.h"

int rep_fold_init(struct rep_fold *f, struct tp_profile *p)
{
	f->p = p;
	f->era = 1;
	f->nnodes = tp_dict_stacks(p->dict);
	f->memo = calloc(f->nnodes, sizeof(*f->memo));
	return f->memo ? 0 : TP_ENOMEM;
}

void rep_fold_reset(struct rep_fold *f)
{
	f->era++; /* at most once per sample, of which there are fewer than 2^30 */
}

void rep_fold_release(struct rep_fold *f)
{
	free(f->memo);
	free(f->pending);
	free(f->frame);
	*f = (struct rep_fold){0};
}

static int append(uint32_t **items, size_t *room, size_t n, uint32_t item)
{
	if (tp_grow(items, room, n, sizeof(**items)))
		return TP_ENOMEM;
	(*items)[n] = item;
	return 0;
}

/* Finds the location that ends at a node: writes its frames to f->frame, from the leaf, and its
 * caller to *above. */
static int location(struct rep_fold *f, uint32_t end, size_t *n, uint32_t *above)
{
	struct tp_stack_node s;
	int code;

	*n = 0;
	do {
		s = tp_dict_stack_at(f->p->dict, end);
		code = append(&f->frame, &f->frame_room, *n, s.frame);
		if (code)
			return code;
		++*n;
		end = s.parent;
	} while (end && tp_dict_frame_at(f->p->dict, s.frame).inlined);
	*above = end;
	return 0;
}

static void turn_round(uint32_t *frame, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t f = frame[i];

		frame[i] = frame[n - 1 - i];
		frame[n - 1 - i] = f;
	}
}

int rep_fold_stack(struct rep_fold *f, uint32_t stack, struct rep_fold_state *s)
{
	uint32_t at = stack, above;
	size_t npending = 0, n;
	int code = 0;

	if (stack >= f->nnodes)
		at = 0;
	while (at && f->memo[at].era != f->era && !code) {
		code = append(&f->pending, &f->pending_room, npending, at);
		if (!code) {
			npending++;
			code = location(f, at, &n, &at);
		}
	}
	*s = at ? f->memo[at] : f->start;
	while (npending && !code) {
		uint32_t end = f->pending[--npending];

		code = location(f, end, &n, &above);
		if (code)
			break;
		turn_round(f->frame, n);
		code = f->step(f, s, f->frame, n, end);
		s->era = f->era;
		f->memo[end] = *s;
	}
	return code;
}

/* Replaces a frame by the same one, inlined or not. */
static int with_inlined(struct tp_dict *d, uint32_t *frame, uint8_t inlined)
{
	struct tp_frame f = tp_dict_frame_at(d, *frame);

	if (f.inlined == inlined)
		return 0;
	f.inlined = inlined;
	return tp_dict_frame(d, &f, frame);
}

int rep_fold_push(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		  uint32_t end, bool all)
{
	struct tp_dict *d = f->p->dict;
	int code = 0;

	if (all) {
		/* If nothing above has changed either, keep the original stack. */
		uint32_t above = end;

		for (size_t i = 0; i < n; i++)
			above = tp_dict_stack_at(d, above).parent;
		if (above == s->node) {
			s->node = end;
			return 0;
		}
	}
	for (size_t i = 0; i < n && !code; i++) {
		uint32_t id = frame[i];

		code = with_inlined(d, &id, i > 0);
		if (!code)
			code = tp_dict_stack(d, s->node, id, &s->node);
	}
	return code;
}
