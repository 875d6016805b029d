/* Scales the number of rounds of randomised tests.
 *
 * An ordinary run does a fifth of them (but all of four or fewer), as the first ones find most
 * faults. TEST_ROUNDS=full in the environment does all, for the long run of CI. Tests that try all
 * cases one by one are not scaled by it.
 * Builds with sanitizers ignore TEST_ROUNDS. ThreadSanitizer makes code 15 times slower; a tenth of
 * the rounds shows races as well. AddressSanitizer makes it 3 times slower; a third of the rounds
 * reaches all lines. */
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

/* Scales n down under a sanitizer only; also for tests that try all cases. */
#ifdef TP_SANITIZE_THREAD
#define TP_ROUNDS(n) (((n) + 9) / 10)
#elif defined(TP_SANITIZE_ADDRESS)
#define TP_ROUNDS(n) (((n) + 2) / 3)
#else
#define TP_ROUNDS(n) (n)
#endif

/* Returns how many of n randomised rounds to do. */
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
