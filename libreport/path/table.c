#include "path/table.h"

#include <string.h>

void rep_table_init(struct rep_path_table *p, const struct rep_path_page *ask,
		    struct rep_output *out)
{
	*p = (struct rep_path_table){
	    .ask = ask,
	    .v = ask->v,
	    .path = ask->path,
	    .out = out,
	    .texts = {.dict = ask->v->dict,
		      .people = rep_output_for_people(out),
		      .own.names = rep_filter_own(ask->v->filter)},
	};
}

int rep_table_begin(struct rep_path_table *p, const char *name, const struct rep_column *columns,
		    size_t n, struct rep_column *own, struct tp_err *err)
{
	memcpy(own, columns, n * sizeof(*own));
	for (size_t i = 0; i < n; i++)
		if (p->v->run->row.ticks && own[i].kind == REP_NS)
			own[i].kind = REP_COUNT;
	return rep_output_begin(p->out, name, own, n, err);
}

int rep_table_row(struct rep_path_table *p, const struct rep_value *row, struct tp_err *err)
{
	int code = rep_output_row(p->out, row, err);

	tp_arena_clear(&p->texts.arena);
	return code;
}

int rep_table_end(struct rep_path_table *p, size_t shown, size_t n, const char *rows,
		  struct tp_err *err)
{
	int code = rep_output_end(p->out, err);

	return code ? code : rep_output_more(p->out, shown, n, rows, err);
}

struct rep_value rep_table_where(struct rep_path_table *p, uint32_t entry, uint32_t stack)
{
	struct tp_text name = rep_path_short(p->v->dict, entry);

	return stack ? rep_stack_where(&p->texts, stack) : rep_text(name.text, name.size);
}
