/* OpenTelemetry's profiles, as JSON, which is shorter than their messages where numbers are small. */
#include "hostile/cases.h"

#define STRINGS "\"stringTable\":[\"\",\"cpu\",\"ns\",\"f\",\"k\",\"x\"]"

static void begin(struct pen *p)
{
	pen_text(p, "%s", "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[");
}

/* The rest of a message, with tables after the strings. */
static void end(struct pen *p, const char *tables)
{
	pen_text(p, "]}]}],\"dictionary\":{" STRINGS "%s}}\n", tables);
}

/* The same, for further tables and "}}\n". */
static void reopen(struct pen *p)
{
	end(p, "");
	p->out.size -= p->failed ? 0 : 3;
}

/* 64 types, and one sample at as many times as there is room for. */
static void types_times(struct pen *p)
{
	begin(p);
	for (int i = 0; i < 64; i++)
		pen_text(p, "{\"sampleType\":{\"typeStrindex\":%d,\"unitStrindex\":%d}},", i % 6,
			 i / 6 % 6);
	pen_text(p, "%s", "{\"samples\":[{\"timestampsUnixNano\":[1");
	while (!pen_full(p))
		pen_text(p, "%s", ",1");
	pen_text(p, "%s", "]}]}");
	end(p, "");
}

/* One sample at times that all differ. */
static void times(struct pen *p)
{
	begin(p);
	pen_text(p, "%s", "{\"samples\":[{\"timestampsUnixNano\":[0");
	for (int i = 1; !pen_full(p); i++)
		pen_text(p, ",%d", i);
	pen_text(p, "%s", "]}]}");
	end(p, "");
}

/* The same, with many attributes at each. */
static void attributes_times(struct pen *p)
{
	begin(p);
	pen_text(p, "%s", "{\"samples\":[{\"attributeIndices\":[0");
	while (p->out.size < p->size / 2 && !p->failed)
		pen_text(p, "%s", ",1");
	pen_text(p, "%s", "],\"timestampsUnixNano\":[0");
	for (int i = 1; !pen_full(p); i++)
		pen_text(p, ",%d", i);
	pen_text(p, "%s", "]}]}");
	end(p, ",\"attributeTable\":[{},{\"keyStrindex\":4,\"value\":{\"intValue\":1}}]");
}

/* Lists that name a long string over and over again. */
static void lists(struct pen *p)
{
	begin(p);
	pen_text(p, "%s", "{\"samples\":[{\"values\":[1]}]}");
	reopen(p);
	pen_text(p, "%s", ",\"stringTable\":[\"");
	for (int i = 0; i < 1 << 16; i++)
		pen_byte(p, 'x');
	pen_text(p, "%s", "\"],\"attributeTable\":[{}");
	for (int i = 0; !pen_full(p); i++)
		pen_text(
		    p, "%s%d%s",
		    ",{\"keyStrindex\":4,\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":", i,
		    "},{\"stringValueStrindex\":6}]}}}");
	pen_text(p, "%s", "]}}\n");
}

/* Entries of nothing in every table. */
static void entries(struct pen *p)
{
	static const char *const tables[] = {"mapping", "location",  "function",
					     "link",	"attribute", "stack"};

	begin(p);
	pen_text(p, "%s", "{\"samples\":[{\"values\":[1]}]}");
	reopen(p);
	for (size_t i = 0; i < 6; i++) {
		pen_text(p, ",\"%sTable\":[{}", tables[i]);
		while (p->out.size < p->size / 6 * (i + 1) && !p->failed)
			pen_text(p, "%s", ",{}");
		pen_text(p, "%s", "]");
	}
	pen_text(p, "%s", "}}\n");
}

/* A location of many lines, in as many places of a stack. */
static void lines_places(struct pen *p)
{
	begin(p);
	pen_text(p, "%s", "{\"samples\":[{\"stackIndex\":1,\"values\":[1]}]}");
	reopen(p);
	pen_text(p, "%s", ",\"locationTable\":[{},{\"lines\":[{}");
	while (p->out.size < p->size / 2 && !p->failed)
		pen_text(p, "%s", ",{}");
	pen_text(p, "%s", "]}],\"stackTable\":[{},{\"locationIndices\":[1");
	while (!pen_full(p))
		pen_text(p, "%s", ",1");
	pen_text(p, "%s", "]}]}}\n");
}

/* Small messages, each of which has a dictionary. */
static void messages(struct pen *p)
{
	while (!pen_full(p)) {
		begin(p);
		pen_text(p, "%s", "{\"samples\":[{\"values\":[1]}]}");
		end(p, "");
	}
}

const struct hostile_case hostile_otlp[] = {
    {"otlp-types-times", "64 sample types, one sample at many times", types_times},
    {"otlp-times", "one sample at times that differ", times},
    {"otlp-attributes-times", "with many attributes at each", attributes_times},
    {"otlp-lists", "attributes that are lists of a long string", lists},
    {"otlp-entries", "entries of nothing in every table", entries},
    {"otlp-lines-places", "a location of many lines, many times in a stack", lines_places},
    {"otlp-messages", "messages of one sample", messages},
    {NULL, NULL, NULL},
};
