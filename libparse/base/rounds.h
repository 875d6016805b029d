/* For tests that try things by chance, or in many ways: how often of `n` times. ThreadSanitizer makes
 * code 15 times slower, and what it is there for, how threads meet, a tenth of the rounds shows as
 * well; AddressSanitizer makes it 3 times slower, and a third of the rounds comes by each line. */
#ifndef TP_BASE_ROUNDS_H
#define TP_BASE_ROUNDS_H

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

#ifdef TP_SANITIZE_THREAD
#define TP_ROUNDS(n) (((n) + 9) / 10)
#elif defined(TP_SANITIZE_ADDRESS)
#define TP_ROUNDS(n) (((n) + 2) / 3)
#else
#define TP_ROUNDS(n) (n)
#endif

#endif
