/* The wake-up graph of a request: what its end depends on, across all goroutines, to be replayed with some
 * stretches shortened.
 *
 * A node is a moment on a goroutine: the end of one of its spans, or a moment at which it woke or created
 * another. The stretch between two nodes of a goroutine takes its time (its `what`), or none if the goroutine
 * waited for another one. THE RULE of a replay: a node happens
 *
 *   - after the goroutine's previous node, by the time of the stretch between them, and
 *   - not before the node on which it depends: a wake-up on the waker's act, a creation on the creator's; and,
 *     inferred, an act that ended another's wait at a channel on that one having come there, and the end
 *     of sync.WaitGroup.Wait on the ends of those goroutines that the waiting one created and that
 *     ended during the wait.
 *
 * So waits that a goroutine ended are as long as it takes now. All else takes the time it took: waits for a P,
 * for the network, timers and what is outside. Who wakes whom stays as it was, as does the order at locks and
 * channels; waits that did not happen do not begin to. Without a change, a replay gives the old times.
 *
 * The graph is read from the request's end back to the beginning of the run (of the time range, if that is the
 * request), so that a request that now begins earlier does so. It has the goroutines that matter only. After
 * REP_GRAPH_LEAD nodes, it ends before the request's beginning; what happened before that stays in its
 * place. A node takes 32 bytes.
 *
 *	code = rep_graph_read(&g, v, request, err);
 *	g.factor[what] = 0.5; …
 *	took = rep_graph_replay(&g, true);
 *	rep_graph_path(&g, true, ns);
 *	rep_graph_release(&g); */
#ifndef REP_PATH_GRAPH_H
#define REP_PATH_GRAPH_H

#include "path/path.h"

#define REP_GRAPH_LEAD	1000000
#define REP_GRAPH_NODES 10000000    /* of the request itself; more are refused */
#define REP_GRAPH_REST	0x7fffffffu /* the stretch takes no time of its own */

struct rep_graph_node {
	int64_t old, now;     /* ns since the run began; as it was, and replayed */
	uint32_t prev, cause; /* nodes of higher index; TP_NONE: none */
	uint32_t goroutine;
	uint32_t what : 31;
	uint32_t inferred : 1; /* its cause is, at a channel */
};

struct rep_graph {
	struct rep_graph_node *node; /* n, the last first; node 0 is the request's end */
	size_t n, room;
	uint32_t begin; /* the node at which the request begins; TP_NONE: at `from` */
	int64_t from;
	int64_t since; /* how far back the graph goes */

	struct rep_path_sum *what; /* nwhats: kind, reason, entry, stack */
	size_t nwhats;
	double *factor; /* by what: 1 at first */

	/* private */
	struct rep_keys keys;
};

/* Reads the graph of a request that rep_path_walk has completed. *g must be released in every case. Errors:
 * TP_ELIMIT, TP_ENOMEM, TP_ESTORE. */
int rep_graph_read(struct rep_graph *g, struct rep_view *v, const struct rep_path_request *request,
		   struct tp_err *err);
void rep_graph_release(struct rep_graph *g);

/* Replays the graph and returns how long the request takes. Without `inferred`, what is inferred at channels
 * does not hold anything up. */
int64_t rep_graph_replay(struct rep_graph *g, bool inferred);
/* Adds to ns[what] the stretches of the chain that kept the request from ending sooner in the last replay
 * (with the same `inferred`). Returns the time at its beginning that no stretch explains. */
int64_t rep_graph_path(const struct rep_graph *g, bool inferred, int64_t *ns);

#endif
