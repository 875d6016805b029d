/* What `pprof -raw` prints, as facts by content: a location is what is said of it, whatever its id
 * and its place in the list. So two texts give the same facts exactly if they hold the same types,
 * samples in the same order with the same values, labels and stacks, and the same mappings. */
#ifndef CONFORMANCE_RAW_H
#define CONFORMANCE_RAW_H

#include "base/cursor.h"
#include "conformance/facts.h"

/* Does any location have lines? */
bool raw_has_names(struct tp_slice raw);

/* names false: lines of locations are left out. TP_ENOMEM, TP_EFORMAT. */
int raw_facts(struct facts *f, enum facts_side side, struct tp_slice raw, bool names,
	      struct tp_err *err);

/* Takes the next line off a text, without its end; false when there is none. */
bool raw_next_line(struct tp_slice *text, struct tp_slice *line);
bool raw_is(struct tp_slice line, const char *text);
bool raw_begins(struct tp_slice line, const char *text);

#endif
