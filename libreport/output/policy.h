/* What our HTML pages ask browsers to forbid them: a Content-Security-Policy, which each has in a
 * <meta> of its head before anything else of it. Scripts and styles are the page's own, and nothing
 * may be loaded or sent. */
#ifndef REP_OUTPUT_POLICY_H
#define REP_OUTPUT_POLICY_H

#define REP_PAGE_POLICY                                                                            \
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "              \
	"img-src data:; base-uri 'none'; form-action 'none'"

#endif
