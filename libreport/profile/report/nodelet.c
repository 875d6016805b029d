/* Source of the rules: pprof, internal/graph/dotgraph.go (addNodelets, collapsedTags). */
#include "profile/report/nodelet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/writer/quote.h"

#define MOST 4 /* limit on boxes of text labels at a node, and of numbers at each of them */

struct nodelets {
	struct rep_writer *out;
	const struct rep_node *node;
	const struct rep_profile_view *v;
	bool flat; /* show flat: the function has outgoing edges, and callees show the rest */
	bool any;
};

static int64_t flat_of(const struct rep_tag *t)
{
	return rep_mean(t->flat, t->flat_div);
}

static int64_t cum_of(const struct rep_tag *t)
{
	return rep_mean(t->cum, t->cum_div);
}

static const char *unit_of(const struct rep_tag *t)
{
	return t->unit.text ? t->unit.text : "";
}

/* ---- numbers: few enough boxes, "1kB..16kB" ---- */

struct group {
	const struct rep_tag *first, *least, *most;
	size_t n;
	int64_t flat, flat_div, cum, cum_div;
	char name[2 * REP_MEASURE_SIZE + 4];
};

/* Converts a tag's value to another tag's unit, as a whole number, for comparing. */
static int64_t in_unit_of(const struct rep_tag *t, const struct rep_tag *other)
{
	return tp_whole(rep_scale(t->value, unit_of(t), unit_of(other), NULL));
}

static double distance(const struct rep_tag *t, const struct rep_tag *u)
{
	double v = rep_scale(u->value, unit_of(u), unit_of(t), NULL);

	return v < (double)t->value ? (double)t->value - v : v - (double)t->value;
}

static void join(struct group *g, const struct rep_tag *t)
{
	if (!g->n++) {
		g->first = g->least = g->most = t;
	} else {
		if (in_unit_of(t, g->least) < g->least->value)
			g->least = t;
		if (in_unit_of(t, g->most) > g->most->value)
			g->most = t;
	}
	rep_add(&g->flat, t->flat);
	rep_add(&g->flat_div, t->flat_div);
	rep_add(&g->cum, t->cum);
	rep_add(&g->cum_div, t->cum_div);
}

static void name_group(struct group *g, struct rep_tag *to)
{
	char least[REP_MEASURE_SIZE], most[REP_MEASURE_SIZE];

	rep_scaled_label(least, g->least->value, unit_of(g->least), "auto");
	rep_scaled_label(most, g->most->value, unit_of(g->most), "auto");
	if (g->n == 1)
		snprintf(g->name, sizeof(g->name), "%s", least);
	else
		snprintf(g->name, sizeof(g->name), "%s..%s", least, most);
	*to = (struct rep_tag){
	    .name = {g->name, (uint32_t)strlen(g->name)},
	    .flat = rep_mean(g->flat, g->flat_div),
	    .cum = rep_mean(g->cum, g->cum_div),
	};
}

/* Makes a group of each of the MOST largest tags, and adds the others to the nearest group. tag[0 …
 * MOST) become the groups. */
static void collapse(struct rep_tag *tag, size_t n, struct group *group)
{
	for (size_t i = 0; i < n; i++) {
		size_t best = i;

		if (i >= MOST) {
			best = 0;
			for (size_t k = 1; k < MOST; k++)
				if (distance(&tag[i], group[k].first) <
				    distance(&tag[i], group[best].first))
					best = k;
		}
		join(&group[best], &tag[i]);
	}
	for (size_t k = 0; k < MOST; k++)
		name_group(&group[k], &tag[k]);
}

static struct rep_tag *sorted(struct nodelets *b, const struct rep_tags *tags)
{
	struct rep_tag *tag = calloc(tags->n + 1, sizeof(*tag));

	if (!tag) {
		rep_writer_fail(b->out, TP_ENOMEM);
		return NULL;
	}
	if (tags->n)
		memcpy(tag, tags->tag, tags->n * sizeof(*tag));
	rep_tags_sort(tag, tags->n, b->flat);
	return tag;
}

/* Writes the boxes of numbers. `source` is the box they belong to: "N1", "N1_0". */
static void put_numbers(struct nodelets *b, const struct rep_tags *tags, const char *source)
{
	struct group group[MOST] = {{0}};
	struct rep_tag *tag = sorted(b, tags);
	size_t n = tags->n;

	if (tag && n > MOST) {
		struct rep_tag copy[MOST];

		collapse(tag, n, group);
		memcpy(copy, tag, sizeof(copy));
		rep_tags_sort(copy, MOST, b->flat);
		memcpy(tag, copy, sizeof(copy));
		n = MOST;
	}
	for (size_t i = 0; tag && i < n; i++) {
		bool flat = b->flat || flat_of(&tag[i]) == cum_of(&tag[i]);
		int64_t weight = flat ? flat_of(&tag[i]) : cum_of(&tag[i]);

		if (!weight)
			continue;
		b->any = true;
		rep_writer_printf(b->out, "N%s_%zu [label = \"", source, i);
		rep_quote_joined(b->out, tag[i].name.text, tag[i].name.size);
		rep_writer_printf(b->out, "\" id=\"N%s_%zu\" fontsize=8 shape=box3d tooltip=\"",
				  source, i);
		rep_quote_value(b->out, b->v, weight);
		rep_writer_printf(b->out, "\"]\n%s -> N%s_%zu [label=\" ", source, source, i);
		rep_quote_value(b->out, b->v, weight);
		rep_writer_put(b->out, "\" weight=100 tooltip=\"");
		rep_quote_value(b->out, b->v, weight);
		rep_writer_put(b->out, "\" labeltooltip=\"");
		rep_quote_value(b->out, b->v, weight);
		rep_writer_put(b->out, flat ? "\"]\n" : "\" style=\"dotted\"]\n");
	}
	free(tag);
}

static void put_numbers_of(struct nodelets *b, struct tp_text labels, const char *source)
{
	for (size_t i = 0; i < b->node->nnumeric; i++) {
		const struct rep_tags *t = &b->node->numeric[i];

		if (t->n && t->labels.size == labels.size &&
		    !memcmp(t->labels.text ? t->labels.text : "", labels.text, labels.size))
			put_numbers(b, t, source);
	}
}

static void put_text(struct nodelets *b, const struct rep_tag *t, size_t id, size_t i)
{
	int64_t weight = b->flat ? flat_of(t) : cum_of(t);
	char source[48];

	if (!weight)
		return;
	b->any = true;
	snprintf(source, sizeof(source), "N%zu_%zu", id, i);
	rep_writer_printf(b->out, "%s [label = \"", source);
	rep_quote_joined(b->out, t->name.text, t->name.size);
	rep_writer_printf(b->out, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"", source);
	rep_quote_value(b->out, b->v, weight);
	rep_writer_printf(b->out, "\"]\nN%zu -> %s [label=\" ", id, source);
	rep_quote_value(b->out, b->v, weight);
	rep_writer_put(b->out, "\" weight=100 tooltip=\"");
	rep_quote_value(b->out, b->v, weight);
	rep_writer_put(b->out, "\" labeltooltip=\"");
	rep_quote_value(b->out, b->v, weight);
	rep_writer_put(b->out, "\"]\n");
	put_numbers_of(b, t->name, source);
}

bool rep_nodelets_put(struct rep_writer *out, const struct rep_node *node, size_t id,
		      const struct rep_profile_view *v)
{
	struct nodelets b = {.out = out, .node = node, .v = v, .flat = node->nout > 0};
	struct rep_tag *tag = sorted(&b, &node->tags);
	char source[32];

	for (size_t i = 0; tag && i < node->tags.n && i < MOST; i++)
		put_text(&b, &tag[i], id, i);
	free(tag);
	snprintf(source, sizeof(source), "N%zu", id);
	put_numbers_of(&b, (struct tp_text){"", 0}, source);
	return b.any;
}
