/* scratch.c - files that a test writes, in a folder that goes away with it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scratch.h"

#include <dirent.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXTS = 4, TEXT_BYTES = 512 };
static char folder[TEXT_BYTES / 2];

/* A few texts in turn, so that two of them can stand in one call. */
static char *next_text(void)
{
    static char texts[TEXTS][TEXT_BYTES];
    static int turn;
    turn = (turn + 1) % TEXTS;
    return texts[turn];
}

int scratch_setup(void **state)
{
    const char *root = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/gradcode-test-XXXXXX", root ? root : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

int scratch_teardown(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            remove(scratch_path(entry->d_name));
    if (dir)
        closedir(dir);
    return rmdir(folder);
}

const char *scratch_spec(const char *prefix, const char *name, const char *suffix)
{
    char *text = next_text();
    int length = snprintf(text, TEXT_BYTES, "%s%s%s%s%s", prefix, folder, *name ? "/" : "", name, suffix);
    assert_in_range(length, 1, TEXT_BYTES - 1);
    return text;
}

const char *scratch_path(const char *name)
{
    return scratch_spec("", name, "");
}

const char *scratch_write(const char *name, const void *content, size_t count)
{
    const char *path = scratch_path(name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(content, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
    return path;
}

const char *scratch_write_gzip(const char *name, const void *content, size_t count)
{
    struct isal_zstream *stream = calloc(1, sizeof *stream);
    size_t room = count + count / 100 + 1000;
    unsigned char *packed = malloc(room), *copy = malloc(count + 1);
    assert_true(stream && packed && copy);
    memcpy(copy, content, count);
    isal_deflate_stateless_init(stream);
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    stream->next_in = copy;
    stream->avail_in = (uint32_t)count;
    stream->next_out = packed;
    stream->avail_out = (uint32_t)room;
    assert_int_equal(isal_deflate_stateless(stream), COMP_OK);
    const char *path = scratch_write(name, packed, stream->total_out);
    free(copy);
    free(packed);
    free(stream);
    return path;
}
