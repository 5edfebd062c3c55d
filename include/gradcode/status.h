/* status.h - what every call of gradcode returns, and how to learn why it failed.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The law of errors. A function that can fail returns gdc_status and writes its outputs only on GDC_OK. The first place
 * that notices a failure records one sentence with the values and what would be right; gdc_last_error() returns it. The
 * library never prints, exits, aborts, kills or installs a signal handler. */
#ifndef GRADCODE_STATUS_H
#define GRADCODE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GDC_API                 __attribute__((visibility("default")))
#define GDC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GDC_API
#define GDC_PRINTF(text, first)
#endif

/* X(name, meaning) */
#define GDC_STATUS_LIST(X)                                                                                             \
    X(OK, "success")                                                                                                   \
    X(EINVAL, "invalid argument or specification")                                                                     \
    X(EUNRECOVERABLE, "too many workers are lost: the gradient cannot be recovered")                                   \
    X(ETIMEDOUT, "the deadline passed before the round could be completed")                                            \
    X(ENUMERIC, "numerically unusable: a residual above the gate, or a value that is not finite")                      \
    X(EDATA, "a file or message is missing, truncated or malformed")                                                   \
    X(ENOMEM, "out of memory")                                                                                         \
    X(EMPI, "an MPI call failed")                                                                                      \
    X(EROOT, "the root process is gone")

typedef enum gdc_status {
#define GDC_STATUS_ENUM(name, meaning) GDC_##name,
    GDC_STATUS_LIST(GDC_STATUS_ENUM)
#undef GDC_STATUS_ENUM
} gdc_status;

/* The meaning of a status as a static string; never NULL, also for numbers that are no status. */
GDC_API const char *gdc_strerror(gdc_status status);

/* The sentence recorded by the last failure on this thread; "" before the first. Valid until the next failure on this
 * thread. A success does not erase it. */
GDC_API const char *gdc_last_error(void);

/* Records a sentence (printf-like, truncated at 1023 bytes) and returns status, so that one line fails:
 *     return gdc_fail(GDC_EINVAL, "load=%d: want 1 to %d", load, workers);
 * Open to callbacks and programs that want their own reasons to travel the same way. */
GDC_API gdc_status gdc_fail(gdc_status status, const char *format, ...) GDC_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
