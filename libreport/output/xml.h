/* libxml2's writers, quiet and honest: what they say of errors goes nowhere, and an allocation of
 * theirs that fails is known afterwards, though not all of their functions tell.
 *
 *	rep_xml_begin();
 *	… xmlNewTextWriter …
 *	if (rep_xml_out_of_memory()) … */
#ifndef REP_OUTPUT_XML_H
#define REP_OUTPUT_XML_H

#include <stdbool.h>

/* Before each use of libxml2, on the thread that makes it. */
void rep_xml_begin(void);

/* Whether an allocation failed on this thread since. */
bool rep_xml_out_of_memory(void);

#endif
