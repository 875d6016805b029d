/* A slow reference for moments, for tests: goes back span by span, and along the critical path.
 *
 * 	lanes_check_moments(&c, 100);		random places
 * 	lanes_check_path(&c, ".", &hops);	moments at which the path of the slowest task
 * continues */
#ifndef REP_LANES_TESTING_MOMENT_H
#define REP_LANES_TESTING_MOMENT_H

#include "lanes/testing.h"
#include "path/path.h"

/* Returns whether a Runnable span's waker did not end the wait before it. */
static inline bool lanes_bystander(const struct lanes_check *c, size_t at)
{
	const struct lanes_span *s = &c->span[at];

	return at > c->first[s->goroutine] && s[-1].bystander && s[-1].end == s->start;
}

/* Applies the rule of lanes.h by going back span by span. */
static inline struct rep_wakeup lanes_cause(const struct lanes_check *c, size_t at)
{
	for (size_t i = at + 1; i-- > c->first[c->span[at].goroutine];) {
		const struct lanes_span *s = &c->span[i];

		if (s->state == TP_ST_WAITING) {
			if (s->waker == TP_NONE || s->waker == s->goroutine || s->open ||
			    s->bystander)
				return (struct rep_wakeup){0, TP_NONE};
			return (struct rep_wakeup){s->end, s->waker};
		}
		if (s->state == TP_ST_RUNNABLE && lanes_bystander(c, i))
			return (struct rep_wakeup){0, TP_NONE};
		if (s->state == TP_ST_RUNNABLE && s->waker != TP_NONE && s->waker != s->goroutine)
			return (struct rep_wakeup){s->start, s->waker};
	}
	return (struct rep_wakeup){0, TP_NONE};
}

static inline bool lanes_check_moment(struct lanes_check *c, size_t at)
{
	const struct lanes_span *s = &c->span[at];
	int64_t ns = s->start + (int64_t)lanes_random(c, (uint64_t)(s->end - s->start));
	bool acts = s->state != TP_ST_WAITING && s->state != TP_ST_RUNNABLE;
	struct rep_wakeup cause = lanes_cause(c, at);
	struct rep_moment m;
	struct tp_err err;
	size_t woken = 0;
	bool good = true;

	if (rep_lanes_moment(c->lanes, s->goroutine, ns, &m, &err)) {
		rep_moment_release(&m);
		return lanes_problem(c, "moment: %s", err.msg);
	}
	if (m.span.start != s->start || m.span.end != s->end || m.span.state != s->state ||
	    m.span.waker != s->waker || m.span.goroutine != s->goroutine)
		good = lanes_problem(c, "goroutine %u at %lld ns: another span (%s from %lld)",
				     s->goroutine, (long long)ns, tp_state_names[m.span.state],
				     (long long)m.span.start);
	if (good && c->span[at].state != TP_ST_RUNNING && cause.goroutine == TP_NONE &&
	    m.cause.goroutine != TP_NONE)
		good = lanes_problem(c, "goroutine %u at %lld ns: cause %u, should be none",
				     s->goroutine, (long long)ns, m.cause.goroutine);
	if (good && cause.goroutine != TP_NONE &&
	    (m.cause.goroutine != cause.goroutine || m.cause.ns != cause.ns))
		good = lanes_problem(c, "goroutine %u at %lld ns: cause %u at %lld, not %u at %lld",
				     s->goroutine, (long long)ns, m.cause.goroutine,
				     (long long)m.cause.ns, cause.goroutine, (long long)cause.ns);
	for (size_t i = 0; i < c->n && acts; i++)
		woken += c->span[i].state == TP_ST_RUNNABLE && c->span[i].waker == s->goroutine &&
			 c->span[i].start >= s->start && c->span[i].start <= s->end &&
			 !lanes_bystander(c, i);
	if (good && !m.more_wakeups && m.nwakeups != woken)
		good = lanes_problem(c, "goroutine %u at %lld ns woke %zu, SQL has %zu",
				     s->goroutine, (long long)ns, m.nwakeups, woken);
	rep_moment_release(&m);
	return good;
}

/* Returns one of the first spans of a goroutine after the start of a segment. */
static inline size_t lanes_after_boundary(struct lanes_check *c)
{
	const struct rep_view *v = &c->lanes->v;
	int64_t t = v->segments[lanes_random(c, v->nsegments)].from_ns;
	uint32_t g = (uint32_t)lanes_random(c, c->ng);
	size_t i = c->first[g];

	while (i + 1 < c->first[g + 1] && c->span[i].start < t)
		i++;
	i += (size_t)lanes_random(c, 5);
	return i < c->n ? i : c->n - 1;
}

/* Checks places in spans that have a length. */
static inline bool lanes_check_moments(struct lanes_check *c, int n)
{
	for (int i = 0; i < n && c->n; i++) {
		size_t at = i % 2 && c->lanes->v.nsegments ? lanes_after_boundary(c)
							   : (size_t)lanes_random(c, c->n);

		if (c->span[at].end > c->span[at].start && !lanes_check_moment(c, at))
			return false;
	}
	return true;
}

/* The chain of wake-ups follows the path of the slowest task or, for NULL, of the run. */
static inline bool lanes_check_path(struct lanes_check *c, const char *task, size_t *hops)
{
	const struct rep_path_options options = {.task = task, .at_most = INT64_MAX, .slowest = 1};
	const struct rep_filter_text text = {0};
	struct rep_path_requests list = {0};
	struct rep_path path = {0};
	struct rep_filter filter;
	struct rep_view view;
	struct tp_err err;
	bool good = true;

	*hops = 0;
	if (rep_filter_init(&filter, &text, &err) ||
	    rep_view_init(&view, c->store, c->run, &filter, NULL, &err))
		return lanes_problem(c, "path: %s", err.msg);
	if (!rep_path_pick(&view, &options, &list, &err) &&
	    rep_path_walk(&view, list.request, list.n, 3000, &path, &err))
		good = lanes_problem(c, "path: %s", err.msg);
	for (size_t i = 0; i < path.hops.n && good; i++) {
		const struct rep_path_hop hop = rep_path_hop(&path, i), *h = &hop;
		struct rep_moment m = {0};

		if (h->wakes == TP_NONE ||
		    rep_lanes_moment(c->lanes, h->wakes, h->creates ? h->to : h->to - 1, &m, &err))
			continue;
		/* A wait without length cannot be found by its time. */
		if (h->creates || (m.span.state == TP_ST_WAITING && m.span.end == h->to)) {
			++*hops;
			if (m.cause.goroutine != h->goroutine || m.cause.ns != h->to)
				good = lanes_problem(
				    c, "path: %u at %lld ns is because of %u at %lld, not %u",
				    h->wakes, (long long)h->to, m.cause.goroutine,
				    (long long)m.cause.ns, h->goroutine);
		}
		rep_moment_release(&m);
	}
	rep_path_release(&path);
	rep_path_requests_release(&list);
	rep_view_release(&view);
	rep_filter_release(&filter);
	return good;
}

#endif
