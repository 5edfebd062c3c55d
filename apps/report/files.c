/* files.c - a result on disk: result.json, rounds.csv, arrivals.csv and the plots, each whole or not there.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* dir/before + name + after; NULL when out of memory. Caller frees. */
static char *path_in(const char *dir, const char *before, const char *name, const char *after)
{
    size_t bytes = strlen(dir) + strlen(before) + strlen(name) + strlen(after) + 2;
    char *path = malloc(bytes);
    if (path != NULL)
        snprintf(path, bytes, "%s/%s%s%s", dir, before, name, after);
    return path;
}

gdc_status result_check_dir(const char *dir, bool overwrite)
{
    struct stat s;
    if (*dir == '\0')
        return gdc_fail(GDC_EINVAL, "output folder '': want the name of a folder");
    if (stat(dir, &s) != 0)
        return errno == ENOENT ? GDC_OK : gdc_fail(GDC_EINVAL, "output folder %s: %s", dir, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return gdc_fail(GDC_EINVAL, "output folder %s: a file of that name is there; want a folder", dir);
    if (access(dir, W_OK | X_OK) != 0)
        return gdc_fail(GDC_EINVAL, "output folder %s: %s", dir, strerror(errno));
    char *path = path_in(dir, "", "result.json", "");
    if (path == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a path in %s", dir);
    bool taken = lstat(path, &s) == 0;
    free(path);
    if (taken && !overwrite)
        return gdc_fail(GDC_EINVAL, "output folder %s: it holds a result.json; give another folder, or --overwrite",
                        dir);
    return GDC_OK;
}

static gdc_status make_folder(const char *dir)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return gdc_fail(GDC_EINVAL, "output folder %s: %s", dir, strerror(errno));
    return GDC_OK;
}

/* The folder and what is missing above it. */
static gdc_status make_folders(const char *dir)
{
    char *path = path_in(dir, "", "", "");
    if (path == NULL)
        return gdc_fail(GDC_ENOMEM, "no memory for a path in %s", dir);
    gdc_status status = GDC_OK;
    for (char *slash = strchr(path + 1, '/'); slash != NULL && status == GDC_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_folder(path);
        *slash = '/';
    }
    free(path);
    return status;
}

/* Asking for permission is not enough: a full disk or a read-only mount shows when something is written. */
static gdc_status try_writing(const char *dir, const char *path)
{
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600), reason = errno;
    bool good = file >= 0 && write(file, "?", 1) == 1 && fsync(file) == 0;
    if (file >= 0) {
        reason = errno;
        good &= close(file) == 0;
        unlink(path);
    }
    return good ? GDC_OK
                : gdc_fail(GDC_EINVAL, "output folder %s: nothing can be written there: %s", dir, strerror(reason));
}

gdc_status result_prepare_dir(const char *dir)
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".%ld", (long)getpid());
    char *path = path_in(dir, ".", "probe", suffix);
    gdc_status status = path != NULL ? make_folders(dir) : gdc_fail(GDC_ENOMEM, "no memory for a path in %s", dir);
    if (status == GDC_OK)
        status = try_writing(dir, path);
    free(path);
    return status;
}

static void write_json(const result *r, FILE *out)
{
    char *text = result_to_json(r);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    free(text);
}

/* In the order in which they appear under their own names: whoever sees a new result.json sees the rest as
 * well. */
static const struct file {
    const char *name;
    void (*write)(const result *r, FILE *out);
    bool (*is_wanted)(const result *r); /* NULL: always */
} files[] = {
    {"rounds.csv", report_rounds_csv, NULL},
    {"arrivals.csv", report_arrivals_csv, NULL},
    {"loss.gp", report_loss_plot, report_has_losses},
    {"round-times.gp", report_times_plot, NULL},
    {"result.json", write_json, NULL},
};
enum { FILES = sizeof files / sizeof files[0] };

/* The temporary stays NULL where there is nothing to write: what an earlier run left there then goes. */
typedef struct paths {
    char *temporary, *final;
} paths;

static bool is_wanted(const struct file *file, const result *r)
{
    return file->is_wanted == NULL || file->is_wanted(r);
}

/* An empty file is a failure: every writer writes something unless memory ran out. */
static gdc_status write_one(const result *r, const struct file *file, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return gdc_fail(GDC_EINVAL, "cannot write %s: %s", path, strerror(errno));
    file->write(r, out);
    bool empty = ftell(out) == 0;
    bool good = fflush(out) == 0 && ferror(out) == 0 && fsync(fileno(out)) == 0;
    int reason = errno;
    good &= fclose(out) == 0;
    if (empty)
        return gdc_fail(GDC_ENOMEM, "no memory to write %s", path);
    return good ? GDC_OK : gdc_fail(GDC_EDATA, "cannot write %s whole: %s", path, strerror(reason));
}

static gdc_status write_temporaries(const result *r, const char *dir, paths path[FILES])
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".%ld", (long)getpid());
    for (int i = 0; i < FILES; i++) {
        path[i].final = path_in(dir, "", files[i].name, "");
        if (path[i].final != NULL && !is_wanted(&files[i], r))
            continue;
        path[i].temporary = path_in(dir, ".", files[i].name, suffix);
        if (path[i].temporary == NULL || path[i].final == NULL)
            return gdc_fail(GDC_ENOMEM, "no memory for a path in %s", dir);
        gdc_status status = write_one(r, &files[i], path[i].temporary);
        if (status != GDC_OK)
            return status;
    }
    return GDC_OK;
}

static gdc_status give_names(const paths path[FILES])
{
    for (int i = 0; i < FILES; i++)
        if (path[i].temporary == NULL)
            unlink(path[i].final);
        else if (rename(path[i].temporary, path[i].final) != 0)
            return gdc_fail(GDC_EDATA, "cannot rename %s to %s: %s", path[i].temporary, path[i].final, strerror(errno));
    return GDC_OK;
}

gdc_status result_write(const result *r, const char *dir, bool overwrite)
{
    paths path[FILES] = {{NULL, NULL}};
    gdc_status status = result_check_dir(dir, overwrite);
    if (status == GDC_OK)
        status = make_folders(dir);
    if (status != GDC_OK)
        return status;
    status = write_temporaries(r, dir, path);
    if (status == GDC_OK)
        status = give_names(path);
    for (int i = 0; i < FILES; i++) {
        if (status != GDC_OK && path[i].temporary != NULL)
            unlink(path[i].temporary);
        free(path[i].temporary);
        free(path[i].final);
    }
    if (status == GDC_OK)
        report_run_plots(r, dir);
    return status;
}
