#include "dump.h"

#include <stdio.h>
#include <string.h>

#include "store/trace_row.h"

int tp_dump_open(struct tp_dump *d, const char *path, const struct tp_input_options *how,
		 const struct tp_symbol_options *symbols, bool strict, struct tp_err *err)
{
	int code = 0;

	if (symbols->nbinaries || symbols->path)
		code = tp_symbolizer_new(&d->symbols, symbols, err);
	if (!code)
		code = tp_input_open(&d->in, path, how, strict ? NULL : d->damaged, err);
	return code ? code : tp_recognise(d->in->data, d->in->size, &d->seen, err);
}

void tp_dump_release(struct tp_dump *d)
{
	tp_symbolizer_free(d->symbols);
	tp_trace_names_release(&d->names);
	if (d->in)
		tp_input_close(d->in);
	memset(d, 0, sizeof(*d));
}

int tp_dump_begin_trace(struct tp_dump *d, const char *path, struct tp_trace_options *how,
			struct tp_err *err)
{
	int code = 0;

	tp_trace_names_release(&d->names);
	memset(&d->names, 0, sizeof(d->names));
	d->names.symbols = d->symbols;
	if (d->seen.format == TP_FORMAT_TRACE_V1 && d->seen.version < 7)
		code = tp_trace_names_beside(&d->names, path, err);
	how->name_frames = d->symbols || d->names.sidecar ? tp_trace_names_put : NULL;
	how->name_ctx = &d->names;
	return code;
}

/* Damage to the compression is damage to what is compressed. */
static struct tp_loss packing_loss(const struct tp_dump *d)
{
	struct tp_loss loss = {.offset = d->in->size, .from_ns = INT64_MIN, .to_ns = INT64_MIN};

	snprintf(loss.reason, sizeof(loss.reason), "%s", d->damaged);
	return loss;
}

int tp_dump_end_trace(struct tp_dump *d, struct tp_trace *trace, char unnamed[TP_SYMBOL_REMARK],
		      struct tp_err *err)
{
	struct tp_loss loss = packing_loss(d);

	tp_trace_names_remark(unnamed, &d->names);
	if ((*d->damaged && tp_trace_add_loss(trace, &loss)) ||
	    (*unnamed && tp_trace_add_notice(trace, TP_WARNING, TP_OFFSET_NONE, "%s", unnamed)) ||
	    tp_trace_file_time(trace, d->in->mtime_ns))
		return tp_nomem(err);
	return 0;
}

int tp_dump_profile(struct tp_dump *d, bool strict, struct tp_profile **p, struct tp_err *err)
{
	struct tp_profile_options how = {.strict = strict, .kind = d->seen.kind};
	struct tp_loss loss = packing_loss(d);
	int code = tp_profile_read(d->in->data, d->in->size, &how, p, err);
	size_t before;

	if (code || !*d->damaged)
		return code;
	before = (*p)->nlosses;
	if (tp_profile_add_loss(*p, &loss)) {
		tp_profile_free(*p);
		*p = NULL;
		return tp_nomem(err);
	}
	if ((*p)->nlosses > before) { /* the cause comes before what it caused */
		memmove((*p)->losses + 1, (*p)->losses, before * sizeof(loss));
		(*p)->losses[0] = loss;
	}
	return 0;
}
