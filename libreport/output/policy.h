/* The Content-Security-Policy of our HTML pages, in a <meta> at the beginning of the head. Scripts
 * and styles are inline, and nothing may be loaded or sent. */
#ifndef REP_OUTPUT_POLICY_H
#define REP_OUTPUT_POLICY_H

#define REP_PAGE_POLICY                                                                            \
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "              \
	"img-src data:; base-uri 'none'; form-action 'none'"

#endif
