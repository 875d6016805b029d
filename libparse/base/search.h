/* Binary search.
 *
 *	size_t i = 0;
 *
 *	TP_SEARCH(i, n, at, item[at].key < key);
 *	if (i < n && item[i].key == key)
 *		… */
#ifndef TP_BASE_SEARCH_H
#define TP_BASE_SEARCH_H

/* Moves `low`, a variable of some type of integer, to the first number in [low, high) for which
 * `before`, an expression of `at`, is false; to `high` if it is true for all. `before` has to be
 * true for all numbers before the result and false for all from there on; otherwise the result is
 * some number in [low, high]. */
#define TP_SEARCH(low, high, at, before)                                                           \
	for (__typeof__(low) tp_high_ = (high), at; (low) < tp_high_;)                             \
		if (at = (low) + (tp_high_ - (low)) / 2, (before))                                 \
			(low) = at + 1;                                                            \
		else                                                                               \
			tp_high_ = at

#endif
