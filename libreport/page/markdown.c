/* The page as GitHub Flavored Markdown, for pull requests and tickets. It is made from the HTML of
 * the sections, so that both say the same; pictures are left out. Only the elements that sections
 * write have a meaning here:
 *
 *	h3 p                    a heading, with <small> behind a colon; a paragraph
 *	ul li, dl div           a list; a <p> within an item begins a line of its own
 *	table with thead        a table; columns of class "n" are right-aligned
 *	table.plain             a list, with an item for each row
 *	b strong code           in bold, verbatim
 *
 * All other tags are ignored. Texts, which may come from a dump, are escaped. */
#include "page/inside.h"

#include <ctype.h>
#include <string.h>

#include "output/ops.h"

enum block { NO_BLOCK, HEADING, PARAGRAPH, ITEM, CELL };

struct markdown {
	const struct rep_sink *sink;
	struct tp_err *err;
	int code;		      /* of the first failed call */
	struct tp_buf heading;	      /* waits for what it stands above */
	struct tp_buf out;	      /* the piece being made */
	struct tp_buf line;	      /* the text of the open block */
	struct tp_buf verbatim, rule; /* within <code>; the line below the heads of a table */
	enum block block;
	enum rep_piece kind; /* of the open block */
	enum rep_piece item; /* of the items of the open list */
	bool begun;	     /* something has been written */
	bool listed;	     /* the block before this one is of the same list */
	bool facts, is_code, hidden, in_head, is_list;
	size_t cells;
};

/* ---- pieces ---- */

static void put_piece(struct markdown *m, struct tp_buf *b, enum rep_piece kind)
{
	if (!m->code && tp_buf_text(b, ""))
		m->code = tp_nomem(m->err);
	if (!m->code && b->size)
		m->code = m->sink->write(m->sink->ctx, b->data, b->size, m->err);
	if (!m->code && m->sink->mark)
		m->code = m->sink->mark(m->sink->ctx, kind, "rows", m->err);
	b->size = 0;
	m->begun = true;
}

/* Writes m->out. A heading goes with it, unless it is a note, which may be left out alone. */
static void end_piece(struct markdown *m, enum rep_piece kind)
{
	if (m->heading.size && kind == REP_PIECE_NOTE) {
		put_piece(m, &m->heading, REP_PIECE_HEAD);
	} else if (m->heading.size) {
		tp_buf_put(&m->heading, m->out.data, m->out.size);
		m->out.size = 0;
		tp_buf_put(&m->out, m->heading.data, m->heading.size);
		m->heading.size = 0;
	}
	put_piece(m, &m->out, kind);
}

/* Writes the blank line before a block. */
static void put_gap(const struct markdown *m, struct tp_buf *b)
{
	tp_buf_text(b, m->begun || m->heading.size ? "\n" : "");
}

static void put_heading(struct markdown *m, const char *marks, const struct tp_buf *text)
{
	put_gap(m, &m->heading);
	tp_buf_text(&m->heading, marks);
	tp_buf_put(&m->heading, text->data, text->size);
	tp_buf_text(&m->heading, "\n");
}

/* ---- blocks ---- */

/* Writes a line so that it is no list, rule or underlining, as "1. x", "- x" and "===" would be. */
static void put_line(struct tp_buf *b, const struct tp_buf *line)
{
	size_t mark = 0;
	bool list;

	while (mark < line->size && isdigit(line->data[mark]))
		mark++;
	list = mark < line->size && memchr(mark ? ".)" : "-+=", line->data[mark], mark ? 2 : 3) &&
	       (!mark || mark + 1 == line->size || line->data[mark + 1] == ' ');
	tp_buf_put(b, line->data, list ? mark : 0);
	tp_buf_text(b, list ? "\\" : "");
	mark = list ? mark : 0;
	tp_buf_put(b, line->data + mark, line->size - mark);
	tp_buf_text(b, "\n");
}

static void end_block(struct markdown *m)
{
	enum block block = m->block;

	m->block = NO_BLOCK;
	while (m->line.size && m->line.data[m->line.size - 1] == ' ')
		m->line.size--;
	if (block == CELL) {
		tp_buf_text(&m->out, " ");
		tp_buf_put(&m->out, m->line.data, m->line.size);
		tp_buf_text(&m->out, " |");
	} else if (block == HEADING) {
		put_heading(m, "### ", &m->line);
	} else if (block != NO_BLOCK && m->line.size) {
		if (block == PARAGRAPH || !m->listed)
			put_gap(m, &m->out);
		m->listed = block == ITEM;
		tp_buf_text(&m->out, block == ITEM ? "- " : "");
		put_line(&m->out, &m->line);
		end_piece(m, m->kind);
	}
	if (tp_buf_text(&m->line, "") && !m->code)
		m->code = tp_nomem(m->err);
	m->line.size = 0;
}

static void begin_block(struct markdown *m, enum block block, enum rep_piece kind)
{
	end_block(m);
	m->block = block;
	m->kind = kind;
}

/* Begins a list whose items are rows, or are all kept. */
static void begin_list(struct markdown *m, enum rep_piece item)
{
	end_block(m);
	m->item = item;
	m->listed = false;
	if (item != REP_PIECE_ROW)
		return;
	put_gap(m, &m->out);
	end_piece(m, REP_PIECE_TABLE);
	m->listed = true;
}

/* ---- text ---- */

static void put_verbatim(struct markdown *m)
{
	static const char fence[] = "````````````````";
	const struct tp_buf *v = &m->verbatim;
	size_t longest = 0, run = 0;
	bool edge = v->size && (v->data[0] == '`' || v->data[v->size - 1] == '`');

	for (size_t i = 0; i < v->size; i++) {
		run = v->data[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	if (longest + 1 >= sizeof(fence)) {
		rep_put_marked(&m->line, v);
	} else {
		tp_buf_put(&m->line, fence, longest + 1);
		tp_buf_text(&m->line, edge ? " " : "");
		tp_buf_put(&m->line, v->data, v->size);
		tp_buf_text(&m->line, edge ? " " : "");
		tp_buf_put(&m->line, fence, longest + 1);
	}
	m->verbatim.size = 0;
}

static void put_character(struct markdown *m, char c)
{
	const struct tp_buf one = {.data = (uint8_t *)&c, .size = 1};
	bool blank = !m->line.size || m->line.data[m->line.size - 1] == ' ' ||
		     m->line.data[m->line.size - 1] == '\n';

	if (m->is_code)
		tp_buf_put(&m->verbatim, &c, 1);
	else if (c != '\n' && c != ' ')
		rep_put_marked(&m->line, &one);
	else if (!blank)
		tp_buf_text(&m->line, " ");
}

/* Reads the text before the next tag; `end` is where that begins. */
static void put_text(struct markdown *m, const char *s, const char *end)
{
	static const struct {
		const char *name;
		char c;
	} entities[] = {
	    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};

	while (s < end && !m->hidden && m->block != NO_BLOCK) {
		size_t n = 1;
		char c = *s;

		for (size_t i = 0; c == '&' && i < sizeof(entities) / sizeof(entities[0]); i++) {
			size_t size = strlen(entities[i].name);

			if ((size_t)(end - s) >= size && !memcmp(s, entities[i].name, size)) {
				n = size;
				c = entities[i].c;
				break;
			}
		}
		put_character(m, c);
		s += n;
	}
}

/* ---- tables ---- */

static void end_row(struct markdown *m)
{
	end_block(m);
	if (!m->cells)
		return;
	tp_buf_text(&m->out, "\n");
	if (m->in_head) {
		tp_buf_text(&m->rule, "\n");
		tp_buf_put(&m->out, m->rule.data, m->rule.size);
		m->rule.size = 0;
	}
	end_piece(m, m->in_head ? REP_PIECE_TABLE : REP_PIECE_ROW);
	m->cells = 0;
}

static void begin_cell(struct markdown *m, bool number)
{
	if (m->is_list) {
		/* The first cell is a command, the second one says what it does. */
		if (m->block != ITEM)
			begin_block(m, ITEM, REP_PIECE_ROW);
		else
			tp_buf_text(&m->line, ": ");
		return;
	}
	end_block(m);
	if (!m->cells++) {
		if (m->in_head)
			put_gap(m, &m->out);
		tp_buf_text(&m->out, "|");
		tp_buf_text(&m->rule, m->in_head ? "|" : "");
	}
	if (m->in_head)
		tp_buf_text(&m->rule, number ? "---:|" : "---|");
	m->block = CELL;
}

/* ---- tags ---- */

struct tag {
	char name[12]; /* "/p" for an end */
	const char *text;
	size_t size;
};

static bool has_class(const struct tag *t, const char *class)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "class=\"%s", class);

	return memmem(t->text, t->size, text, (size_t)n) != NULL;
}

static bool is(const struct tag *t, const char *name)
{
	return !strcmp(t->name, name);
}

static void begin_paragraph(struct markdown *m, const struct tag *t)
{
	if (m->block != ITEM)
		begin_block(m, PARAGRAPH,
			    has_class(t, "note") || has_class(t, "more") ? REP_PIECE_NOTE
									 : REP_PIECE_HEAD);
	else if (m->line.size)
		tp_buf_text(&m->line, "\n  ");
}

static void on_inline(struct markdown *m, const struct tag *t)
{
	if (is(t, "b") || is(t, "/b") || is(t, "strong") || is(t, "/strong")) {
		tp_buf_text(&m->line, "**");
	} else if (is(t, "small")) {
		m->line.size -= m->line.size > 0; /* the blank */
		tp_buf_text(&m->line, ": ");
	} else if (is(t, "/dt")) {
		tp_buf_text(&m->line, ": ");
	} else if (is(t, "code")) {
		m->is_code = true;
	} else if (is(t, "/code")) {
		m->is_code = false;
		put_verbatim(m);
	}
}

static void on_table(struct markdown *m, const struct tag *t)
{
	if (is(t, "table")) {
		m->is_list = has_class(t, "plain");
		if (m->is_list)
			begin_list(m, REP_PIECE_ROW);
	} else if (is(t, "caption") || is(t, "/caption")) {
		m->hidden = t->name[0] != '/';
	} else if (is(t, "thead")) {
		m->in_head = true;
	} else if (is(t, "tr") || is(t, "/thead") || is(t, "/tbody")) {
		end_row(m);
		m->in_head = m->in_head && is(t, "tr");
	} else if (is(t, "th") || is(t, "td")) {
		begin_cell(m, has_class(t, "n\"") || has_class(t, "n "));
	}
}

static void on_tag(struct markdown *m, const struct tag *t)
{
	if (is(t, "h3")) {
		begin_block(m, HEADING, REP_PIECE_HEAD);
	} else if (is(t, "p")) {
		begin_paragraph(m, t);
	} else if (is(t, "ul")) {
		begin_list(m, has_class(t, "findings") ? REP_PIECE_HEAD : REP_PIECE_ROW);
	} else if (is(t, "dl") || is(t, "/dl")) {
		m->facts = t->name[0] != '/';
		begin_list(m, REP_PIECE_HEAD);
	} else if (is(t, "li") || (is(t, "div") && m->facts)) {
		begin_block(m, ITEM, m->item);
	} else if (is(t, "/h3") || is(t, "/li") || (is(t, "/div") && m->facts) ||
		   (is(t, "/p") && m->block == PARAGRAPH)) {
		end_block(m);
	} else if (m->block != NO_BLOCK) {
		on_inline(m, t);
	}
	on_table(m, t);
}

static const char *read_tag(const char *s, const char *end, struct tag *t)
{
	const char *close = memchr(s, '>', (size_t)(end - s));
	size_t n = 0;

	if (!close)
		close = end - 1;
	*t = (struct tag){.text = s, .size = (size_t)(close - s) + 1};
	for (const char *at = s + 1; at < close && n + 1 < sizeof(t->name) && *at > ' '; at++)
		t->name[n++] = *at;
	return close + 1;
}

static void convert(struct markdown *m, const struct tp_buf *html)
{
	const char *s = (const char *)html->data, *end = s + html->size;

	while (html->size && s < end && !m->code) {
		const char *open = memchr(s, '<', (size_t)(end - s));
		struct tag t;

		put_text(m, s, open ? open : end);
		if (!open)
			break;
		s = read_tag(open, end, &t);
		on_tag(m, &t);
	}
	end_block(m);
}

int page_write_markdown(struct page *p, const struct page_section *sections, size_t n,
			const struct tp_buf *facts, const struct tp_buf *parts,
			const struct rep_sink *sink, struct tp_err *err)
{
	struct markdown m = {.sink = sink, .err = err};
	struct tp_buf title = {0}, shown = {0};

	rep_escape(&shown, p->title, strlen(p->title), REP_ESCAPE_SHOWN);
	rep_put_marked(&title, &shown);
	put_heading(&m, "# ", &title);
	convert(&m, facts);
	for (size_t i = 0; i < n && !m.code; i++) {
		if (!parts[i].size)
			continue;
		title.size = 0;
		tp_buf_text(&title, sections[i].title);
		put_heading(&m, "## ", &title);
		convert(&m, &parts[i]);
	}
	if (m.heading.size)
		put_piece(&m, &m.heading, REP_PIECE_HEAD);
	if (!m.code && (tp_buf_text(&title, "") || tp_buf_text(&shown, "")))
		m.code = tp_nomem(err);
	tp_buf_release(&title);
	tp_buf_release(&shown);
	tp_buf_release(&m.heading);
	tp_buf_release(&m.out);
	tp_buf_release(&m.line);
	tp_buf_release(&m.verbatim);
	tp_buf_release(&m.rule);
	return m.code;
}
