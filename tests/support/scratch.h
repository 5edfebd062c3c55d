/* scratch.h - files that a test writes, in a folder that goes away with it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include <stddef.h>

/* cmocka group fixtures: make a folder under TMPDIR or /tmp, and remove it with its files. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The path of a file in the folder; the text is overwritten by the fourth call after. */
const char *scratch_path(const char *name);
/* Writes a file and returns its path. */
const char *scratch_write(const char *name, const void *content, size_t count);
/* The same as a gzip file. */
const char *scratch_write_gzip(const char *name, const void *content, size_t count);
/* "PREFIX" + path of the file + "SUFFIX", as a spec; overwritten by the fourth call after. */
const char *scratch_spec(const char *prefix, const char *name, const char *suffix);

#endif
