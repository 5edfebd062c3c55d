/* libsvm.c - files of LIBSVM: a line is `label index:value index:value ...`, indices from 1, ascending.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"
#include "data/text.h"

#include <stddef.h>
#include <string.h>

enum { FEATURES_MAX = 10000000 };
/* What a file may ask for by its largest index alone: above this the index is more likely garbled than meant.
 */
static const double unasked_bytes = 4.0 * 1024 * 1024 * 1024;

typedef struct libsvm_options {
    const char *file;
    int features, targets;
} libsvm_options;

static const gdc_option options[] = {
    {.key = "file",
     .type = GDC_TEXT,
     .offset = offsetof(libsvm_options, file),
     .help = "path, .gz or not",
     .positional = 1},
    {.key = "features",
     .type = GDC_INT,
     .offset = offsetof(libsvm_options, features),
     .fallback = "0",
     .min = 0,
     .max = FEATURES_MAX,
     .help = "number of features, stored densely; 0: the largest index"},
    {.key = "targets",
     .type = GDC_WORD,
     .offset = offsetof(libsvm_options, targets),
     .fallback = "auto",
     .words = TABLE_TARGETS,
     .help = TABLE_TARGETS_HELP},
    {.key = NULL},
};

/* The file is walked twice by the same code: first to count and check (into NULL), then to store. */
typedef struct walk {
    text where;
    size_t limit; /* largest index allowed */
    size_t samples, largest;
    data *into;
} walk;

static slice next_word(slice *rest)
{
    *rest = text_trim(*rest);
    slice word = {rest->at, rest->at};
    while (word.end < rest->end && *word.end != ' ' && *word.end != '\t')
        word.end++;
    rest->at = word.end;
    return word;
}

static int parse_index(slice digits, size_t limit, size_t *index)
{
    size_t number = 0;
    for (const char *p = digits.at; p < digits.end; p++) {
        if (*p < '0' || *p > '9')
            return 0;
        number = 10 * number + (size_t)(*p - '0');
        if (number > limit)
            return 0;
    }
    *index = number;
    return number >= 1;
}

static gdc_status take_pair(walk *w, slice pair, size_t *last)
{
    const char *colon = memchr(pair.at, ':', (size_t)(pair.end - pair.at));
    size_t index = 0;
    float value = 0;
    if (!colon)
        return text_fail(&w->where, pair, "index:value");
    if (!parse_index((slice){pair.at, colon}, w->limit, &index))
        return text_fail(&w->where, pair,
                         w->limit == FEATURES_MAX ? "an index from 1 to 10000000" : "an index from 1 to features=");
    if (index <= *last)
        return text_fail(&w->where, pair, "an index above the one before");
    if (!text_number((slice){colon + 1, pair.end}, &value))
        return text_fail(&w->where, (slice){colon + 1, pair.end}, "a finite number");
    if (w->into)
        ((float *)w->into->x)[w->samples * w->into->features + index - 1] = value;
    *last = index;
    return GDC_OK;
}

static gdc_status take_line(walk *w, slice line)
{
    slice label = next_word(&line);
    float y = 0;
    size_t last = 0;
    if (!text_number(label, &y))
        return text_fail(&w->where, label, "a label that is a finite number");
    if (w->into)
        w->into->y[w->samples] = y;
    for (slice pair = next_word(&line); pair.at < pair.end; pair = next_word(&line)) {
        gdc_status status = take_pair(w, pair, &last);
        if (status)
            return status;
    }
    if (last > w->largest)
        w->largest = last;
    w->samples++;
    return GDC_OK;
}

static slice without_comment(slice line)
{
    const char *mark = memchr(line.at, '#', (size_t)(line.end - line.at));
    return text_trim((slice){line.at, mark ? mark : line.end});
}

static gdc_status take_file(walk *w, const char *path, const bytes *file, data *into)
{
    w->where = text_begin(path, file);
    w->into = into;
    w->samples = 0;
    while (text_next(&w->where)) {
        slice line = without_comment(w->where.line);
        gdc_status status = line.at < line.end ? take_line(w, line) : GDC_OK;
        if (status)
            return status;
    }
    return GDC_OK;
}

static gdc_status make_room(const walk *w, const libsvm_options *o, data *into)
{
    size_t features = o->features ? (size_t)o->features : w->largest;
    if (w->samples == 0 || features == 0)
        return gdc_fail(GDC_EDATA, "%s: %zu samples and %zu features, want 1 or more lines `label index:value ...`",
                        o->file, w->samples, features);
    double size = (double)w->samples * (double)features * sizeof(float);
    if (!o->features && size > unasked_bytes)
        return gdc_fail(GDC_EDATA,
                        "%s: the largest index is %zu: %.3g GiB when stored densely, want at most %.3g GiB "
                        "(features=%zu if it is meant)",
                        o->file, features, size / unasked_bytes * 4, 4.0, features);
    return table_allocate(o->file, w->samples, features, into);
}

static gdc_status libsvm_read(const void *values, uint64_t seed, data *into)
{
    const libsvm_options *o = values;
    walk w = {.limit = o->features ? (size_t)o->features : FEATURES_MAX};
    bytes file;
    (void)seed;
    gdc_status status = bytes_read(o->file, &file);
    if (status)
        return status;
    status = take_file(&w, o->file, &file, NULL);
    if (!status)
        status = make_room(&w, o, into);
    if (!status)
        status = take_file(&w, o->file, &file, into);
    bytes_free(&file);
    return status ? status : table_targets(o->file, o->targets, into);
}

extern const data_reader_ops data_libsvm;
const data_reader_ops data_libsvm = {
    .name = "libsvm",
    .help = "a file of lines `label index:value ...`",
    .options = options,
    .options_bytes = sizeof(libsvm_options),
    .read = libsvm_read,
};
