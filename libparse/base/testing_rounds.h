/* Scales the number of rounds of tests by chance.
 *
 * An ordinary run has a fifth of them (of four rounds or fewer, all): what a change breaks shows in
 * the first ones mostly. TEST_ROUNDS=full in the environment has all, which is for the long run of
 * CI. What a test tries one by one is not scaled by this: it is no chance.
 *
 * Builds with sanitizers have a share of their own, whatever TEST_ROUNDS says. ThreadSanitizer
 * makes code 15 times slower, and what it is there for, how threads meet, a tenth of the rounds
 * shows as well; AddressSanitizer makes it 3 times slower, and a third of the rounds comes by each
 * line. */
#ifndef TP_BASE_TESTING_ROUNDS_H
#define TP_BASE_TESTING_ROUNDS_H

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TP_SANITIZE_THREAD
#elif __has_feature(address_sanitizer)
#define TP_SANITIZE_ADDRESS
#endif
#elif defined(__SANITIZE_THREAD__)
#define TP_SANITIZE_THREAD
#elif defined(__SANITIZE_ADDRESS__)
#define TP_SANITIZE_ADDRESS
#endif

/* As many as a sanitizer, if there is one, has time for: also of what is tried one by one. */
#ifdef TP_SANITIZE_THREAD
#define TP_ROUNDS(n) (((n) + 9) / 10)
#elif defined(TP_SANITIZE_ADDRESS)
#define TP_ROUNDS(n) (((n) + 2) / 3)
#else
#define TP_ROUNDS(n) (n)
#endif

/* Of n rounds by chance. */
static inline int tp_rounds(int n)
{
#if defined(TP_SANITIZE_THREAD) || defined(TP_SANITIZE_ADDRESS)
	return TP_ROUNDS(n);
#else
	const char *rounds = getenv("TEST_ROUNDS");

	if (n < 5 || (rounds && !strcmp(rounds, "full")))
		return n;
	return (n + 4) / 5;
#endif
}

#endif
