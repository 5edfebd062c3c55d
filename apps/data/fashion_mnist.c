/* fashion_mnist.c - Fashion-MNIST and whatever else comes as the same four IDX files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "data/idx.h"
#include "data/table.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CLASSES = 10, PATH_MAX_BYTES = 1024 };

typedef struct fashion_options {
    const char *dir;
    int part, samples;
} fashion_options;

static const gdc_option options[] = {
    {.key = "dir",
     .type = GDC_TEXT,
     .offset = offsetof(fashion_options, dir),
     .fallback = "/usr/share/datasets/fashion-mnist",
     .help = "folder of the IDX files, .gz or not",
     .positional = 1},
    {.key = "part",
     .type = GDC_WORD,
     .offset = offsetof(fashion_options, part),
     .fallback = "train",
     .words = "train|test",
     .help = "60000 images, or 10000 others"},
    {.key = "samples",
     .type = GDC_INT,
     .offset = offsetof(fashion_options, samples),
     .fallback = "0",
     .min = 0,
     .max = INT_MAX,
     .help = "use only so many, the first of the file; 0: all"},
    {.key = NULL},
};

static gdc_status find_file(const char *dir, const char *part, const char *rest, char path[PATH_MAX_BYTES])
{
    struct stat found;
    for (int packed = 1; packed >= 0; packed--) {
        int length = snprintf(path, PATH_MAX_BYTES, "%s/%s-%s%s", dir, part, rest, packed ? ".gz" : "");
        if (length < 0 || length >= PATH_MAX_BYTES)
            return gdc_fail(GDC_EINVAL, "fashion-mnist: dir has %zu bytes, want less than %d", strlen(dir),
                            PATH_MAX_BYTES - 64);
        if (stat(path, &found) == 0)
            return GDC_OK;
    }
    return gdc_fail(GDC_EDATA,
                    "%s: %s, with or without .gz (apt-get install dataset-fashion-mnist, or name the folder "
                    "with dir=)",
                    path, strerror(errno));
}

static gdc_status read_images(const char *path, data *into)
{
    idx images;
    gdc_status status = idx_read(path, 3, &images);
    if (status)
        return status;
    into->samples = images.size[0];
    into->features = images.size[1] * images.size[2];
    into->type = DATA_U8;
    into->x_scale = 1.0 / 255;
    memmove(images.file.at, images.file.at + images.header, into->samples * into->features);
    into->x = images.file.at;
    return GDC_OK;
}

static gdc_status copy_labels(const char *path, const idx *labels, data *into)
{
    if (labels->size[0] != into->samples)
        return gdc_fail(GDC_EDATA, "%s: byte 4: %zu labels, want %zu as there are images", path, labels->size[0],
                        into->samples);
    into->y = malloc(into->samples * sizeof *into->y);
    if (!into->y)
        return gdc_fail(GDC_ENOMEM, "%s: no memory for %zu labels", path, into->samples);
    for (size_t i = 0; i < into->samples; i++) {
        unsigned label = labels->file.at[labels->header + i];
        if (label >= CLASSES)
            return gdc_fail(GDC_EDATA, "%s: byte %zu: label %u, want 0 to %d", path, labels->header + i, label,
                            CLASSES - 1);
        into->y[i] = (float)label;
    }
    into->classes = CLASSES;
    return GDC_OK;
}

static gdc_status read_labels(const char *path, data *into)
{
    idx labels;
    gdc_status status = idx_read(path, 1, &labels);
    if (status)
        return status;
    status = copy_labels(path, &labels, into);
    bytes_free(&labels.file);
    return status;
}

static gdc_status keep_first(size_t samples, data *into)
{
    if (samples > into->samples)
        return gdc_fail(GDC_EINVAL, "fashion-mnist: samples=%zu: want 1 to %zu, or 0 for all", samples, into->samples);
    if (samples == 0)
        return GDC_OK;
    void *x = realloc(into->x, samples * into->features);
    if (x)
        into->x = x;
    into->samples = samples;
    return GDC_OK;
}

static gdc_status fashion_read(const void *values, uint64_t seed, data *into)
{
    const fashion_options *o = values;
    const char *part = o->part == 0 ? "train" : "t10k";
    char images[PATH_MAX_BYTES], labels[PATH_MAX_BYTES];
    (void)seed;
    gdc_status status = find_file(o->dir, part, "images-idx3-ubyte", images);
    if (!status)
        status = find_file(o->dir, part, "labels-idx1-ubyte", labels);
    if (!status)
        status = read_images(images, into);
    if (!status)
        status = read_labels(labels, into);
    return status ? status : keep_first((size_t)o->samples, into);
}

extern const data_reader_ops data_fashion_mnist;
const data_reader_ops data_fashion_mnist = {
    .name = "fashion-mnist",
    .help = "28 x 28 images of clothes in 10 classes (Debian package dataset-fashion-mnist)",
    .options = options,
    .options_bytes = sizeof(fashion_options),
    .read = fashion_read,
};
