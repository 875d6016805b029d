/* Where functions are in the source, by name: for rows that are functions, as machines read them.
 *
 * The line is the function's first one (start_line) where the profile has it (Go 1.20 and later), else
 * the lowest that any frame of it has. A name whose functions are in several files has no position. Where
 * several profiles have a name, the first one that says where it is counts.
 *
 *	struct rep_positions positions = {0};
 *
 *	code = rep_positions_add(&positions, profile, NULL);
 *	… rep_position_of(&positions, name).file, .line …
 *	rep_positions_release(&positions); */
#ifndef REP_PROFILE_POSITION_H
#define REP_PROFILE_POSITION_H

#include "decode/profile.h"
#include "output/output.h"
#include "profile/view.h"

struct rep_position {
	struct tp_text file; /* lives as long as the positions; empty: unknown */
	int64_t line;	     /* 0: unknown */
};

struct rep_positions {
	struct tp_dict *names;	       /* and files */
	struct rep_position *position; /* by name */
	uint32_t *of;		       /* by name: the profile that it is from, from 1 on */
	size_t room, of_room;
	uint32_t profiles;
};

/* Adds the functions of a profile; files are cleaned, and trimmed as the options say, which may be
 * NULL. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_positions_add(struct rep_positions *p, const struct tp_profile *profile,
		      const struct rep_profile_options *opt);
void rep_positions_release(struct rep_positions *p);
/* Returns the position of a function; nothing if there is none. */
struct rep_position rep_position_of(const struct rep_positions *p, struct tp_text name);

/* For the nodes of a graph: adds the view's profile if its nodes are functions and the output has
 * columns for programs. Returns the position of a node: its own file and line where it has them. */
int rep_positions_of_view(struct rep_positions *p, const struct rep_profile_view *v,
			  const struct rep_output *out, struct tp_err *err);
struct rep_position rep_position_of_node(const struct rep_positions *p,
					 const struct rep_node_info *info);

/* Return its parts as values, null if unknown. */
static inline struct rep_value rep_position_file(const struct rep_position *position)
{
	return position->file.size ? rep_text(position->file.text, position->file.size)
				   : rep_null();
}
static inline struct rep_value rep_position_line(const struct rep_position *position)
{
	return position->line > 0 ? rep_int(position->line) : rep_null();
}

#endif
