/* choose.c - picks a name out of a list; where there is none, says which was probably meant.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/choose.h"
#include "gradcode/spec.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 }; /* words longer than this are near to nothing */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours (optimal string alignment); both words are at most LONGEST long. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1][LONGEST + 1], la = strlen(a), lb = strlen(b);
    for (size_t i = 0; i <= la; i++) {
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            row[i][j] = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = least(row[i][j], least(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    }
    return row[la][lb];
}

/* An abbreviation is as near as one wrong letter. */
static size_t farness(const char *word, const char *name)
{
    return strncmp(word, name, strlen(word)) == 0 ? 1 : distance(word, name);
}

const char *gdc_choose_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t length = strlen(word), limit = length / 3 + 1;
    if (length < 2 || length > LONGEST)
        return NULL;
    for (; *names != NULL; names++) {
        size_t d = strlen(*names) > LONGEST ? limit + 1 : farness(word, *names);
        if (d <= limit) {
            best = *names;
            limit = d - 1;
        }
    }
    return best;
}

void gdc_choose_text(const char *word, const char *const *names, char *text, size_t bytes)
{
    size_t used = 0;
    const char *meant = gdc_choose_nearest(word, names);
    text[0] = '\0';
    for (int i = 0; names[i] != NULL && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i == 0 ? "want " : ", ", names[i]);
    if (meant != NULL && used < bytes)
        snprintf(text + used, bytes - used, " (did you mean %s?)", meant);
}

int gdc_spec_choose(const char *what, const char *word, const char *const *names)
{
    char text[768];
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    gdc_choose_text(word, names, text, sizeof text);
    (void)gdc_fail(GDC_EINVAL, "unknown %s '%.100s': %s", what, word, text);
    return -1;
}
