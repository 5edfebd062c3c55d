/* test_dense.c - small dense algebra: backward errors, least squares of any rank, clean refusals.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gradcode/draw.h"
#include "kernels/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

static uint64_t seed = 1;

static void fill(uint64_t which, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = gdc_draw_normal((gdc_key){seed, 1, which, (uint64_t)i, 0});
}

/* r = A x - b */
static void residual(int m, int n, const double *a, const double *x, const double *b, double *r)
{
    for (int i = 0; i < m; i++) {
        r[i] = -b[i];
        for (int j = 0; j < n; j++)
            r[i] += a[i * n + j] * x[j];
    }
}

static double norm(int count, const double *x)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* ---- solve ---- */

static void a_solution_has_a_small_backward_error(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n++) {
        double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], r[MOST];
        fill((uint64_t)n, n * n, a);
        fill(1000 + (uint64_t)n, n, b);
        memcpy(lu, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(gdc_solve(n, lu, x), GDC_OK);
        residual(n, n, a, x, b, r);
        assert_true(norm(n, r) <= 10 * n * DBL_EPSILON * (norm(n * n, a) * norm(n, x) + norm(n, b)));
    }
}

static void matrices_are_row_major(void **state)
{
    double a[4] = {1, 2, 0, 1}, b[2] = {5, 1}; /* x + 2y = 5, y = 1 */
    (void)state;
    assert_int_equal(gdc_solve(2, a, b), GDC_OK);
    assert_true(b[0] == 3 && b[1] == 1);
}

static void pivoting_handles_a_zero_on_the_diagonal(void **state)
{
    double a[4] = {0, 2, 3, 0}, b[2] = {4, 9};
    (void)state;
    assert_int_equal(gdc_solve(2, a, b), GDC_OK);
    assert_true(b[0] == 3 && b[1] == 2);
}

static void the_empty_system_is_solved(void **state)
{
    (void)state;
    assert_int_equal(gdc_solve(0, NULL, NULL), GDC_OK);
}

static void a_tiny_but_well_conditioned_matrix_is_no_trouble(void **state)
{
    double a[4] = {1e-200, 0, 0, 2e-200}, b[2] = {1e-200, 4e-200};
    (void)state;
    assert_int_equal(gdc_solve(2, a, b), GDC_OK);
    assert_true(fabs(b[0] - 1) < 1e-15 && fabs(b[1] - 2) < 1e-15);
}

static void refuses_to_solve(int n, const double *given, const char *reason)
{
    double a[9], b[3] = {1, 2, 3};
    memcpy(a, given, (size_t)(n * n) * sizeof *a);
    assert_int_equal(gdc_solve(n, a, b), GDC_ENUMERIC);
    assert_non_null(strstr(gdc_last_error(), reason));
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3); /* outputs are written only on success */
}

static void singular_matrices_are_refused(void **state)
{
    (void)state;
    refuses_to_solve(2, (const double[]){1, 2, 2, 4}, "singular");
    refuses_to_solve(2, (const double[]){0, 0, 0, 0}, "singular");
    refuses_to_solve(1, (const double[]){0}, "singular");
    refuses_to_solve(3, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, "singular");
    refuses_to_solve(2, (const double[]){1, 1, 1, 1 + 2 * DBL_EPSILON}, "working precision");
}

static void systems_that_are_not_finite_are_refused(void **state)
{
    double a[1] = {1}, b[1] = {INFINITY};
    (void)state;
    refuses_to_solve(2, (const double[]){1, NAN, 0, 1}, "not finite");
    refuses_to_solve(2, (const double[]){1, 0, INFINITY, 1}, "not finite");
    assert_int_equal(gdc_solve(1, a, b), GDC_ENUMERIC);
    assert_int_equal(gdc_least_squares(1, 1, a, b, b, NULL), GDC_ENUMERIC);
}

static void a_solution_that_overflows_is_refused(void **state)
{
    double a[1] = {1e-200}, b[1] = {1e200}, x[1] = {7};
    (void)state;
    assert_int_equal(gdc_solve(1, a, b), GDC_ENUMERIC);
    assert_true(b[0] == 1e200);
    a[0] = 1e-200;
    assert_int_equal(gdc_least_squares(1, 1, a, b, x, NULL), GDC_ENUMERIC);
    assert_true(x[0] == 7);
}

/* ---- least squares ---- */

/* A = L R with L [m x rank], R [rank x n]: the solution makes the residual normal to the columns of A, and
 * lies in the span of the rows of A, which is what minimum norm means. */
static void check_least_squares(int m, int n, int rank)
{
    double l[MOST * MOST], r[MOST * MOST], a[MOST * MOST] = {0}, work[MOST * MOST], b[MOST], x[MOST], e[MOST];
    int found = -1;
    fill((uint64_t)(100 * m + n), m * rank, l);
    fill((uint64_t)(9000 + 100 * m + n), rank * n, r);
    fill((uint64_t)(50000 + m), m, b);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int t = 0; t < rank; t++)
                a[i * n + j] += l[i * rank + t] * r[t * n + j];
    memcpy(work, a, sizeof a);
    assert_int_equal(gdc_least_squares(m, n, work, b, x, &found), GDC_OK);
    assert_int_equal(found, rank);
    residual(m, n, a, x, b, e);
    for (int j = 0; j < n; j++) {
        double normal = 0;
        for (int i = 0; i < m; i++)
            normal += a[i * n + j] * e[i];
        assert_true(fabs(normal) <= 1e-9 * norm(m * n, a) * (norm(m, b) + norm(m * n, a) * norm(n, x)));
    }
    double coefficient[MOST], part[MOST], rt[MOST * MOST];
    for (int t = 0; t < rank; t++)
        for (int j = 0; j < n; j++)
            rt[j * rank + t] = r[t * n + j];
    memcpy(work, rt, sizeof rt);
    assert_int_equal(gdc_least_squares(n, rank, work, x, coefficient, NULL), GDC_OK);
    residual(n, rank, rt, coefficient, x, part);
    assert_true(norm(n, part) <= 1e-9 * norm(n, x));
}

static void least_squares_of_any_shape_and_rank_is_the_shortest_best(void **state)
{
    (void)state;
    for (int m = 1; m <= 9; m++)
        for (int n = 1; n <= 9; n++)
            for (int rank = 1; rank <= (m < n ? m : n); rank++)
                check_least_squares(m, n, rank);
    check_least_squares(MOST, MOST, MOST / 2);
}

static void repeated_rows_share_the_weight(void **state)
{
    double a[6] = {1, 1, 1, 0, 0, 0}, b[2] = {1, 0}, x[3]; /* three equal columns, a row of zeros */
    int rank;
    (void)state;
    assert_int_equal(gdc_least_squares(2, 3, a, b, x, &rank), GDC_OK);
    assert_int_equal(rank, 1);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(x[i] - 1. / 3) < 1e-15);
}

static void a_leading_column_of_zeros_hides_no_other(void **state)
{
    double a[4] = {0, 2, 0, 0}, b[2] = {6, 1}, x[2];
    int rank;
    (void)state;
    assert_int_equal(gdc_least_squares(2, 2, a, b, x, &rank), GDC_OK);
    assert_int_equal(rank, 1);
    assert_true(x[0] == 0 && fabs(x[1] - 3) < 1e-15);
}

static void zeros_and_nothing_give_the_zero_solution(void **state)
{
    double a[6] = {0}, b[3] = {1, 2, 3}, x[2] = {7, 7};
    int rank = -1;
    (void)state;
    assert_int_equal(gdc_least_squares(3, 2, a, b, x, &rank), GDC_OK);
    assert_true(x[0] == 0 && x[1] == 0 && rank == 0);
    x[0] = x[1] = 7;
    assert_int_equal(gdc_least_squares(0, 2, NULL, NULL, x, &rank), GDC_OK);
    assert_true(x[0] == 0 && x[1] == 0 && rank == 0);
    assert_int_equal(gdc_least_squares(3, 0, NULL, b, NULL, &rank), GDC_OK);
    assert_int_equal(rank, 0);
}

/* ---- orthogonalisation ---- */

static void what_is_left_is_orthogonal(void **state)
{
    enum { N = 20, LDQ = 23 };
    double q[N * LDQ];
    (void)state;
    for (int rows = 0; rows < N; rows++) {
        double *v = q + rows * LDQ;
        fill((uint64_t)(700 + rows), LDQ, v);
        double kept[3] = {v[N], v[N + 1], v[N + 2]}, before = norm(N, v);
        double left = gdc_orthogonalise(rows, N, q, LDQ, v);
        assert_memory_equal(v + N, kept, sizeof kept);
        assert_true(fabs(left - norm(N, v) / before) <= 1e-14);
        for (int i = 0; i < rows; i++) {
            double dot = 0;
            for (int j = 0; j < N; j++)
                dot += q[i * LDQ + j] * v[j];
            assert_true(fabs(dot) <= 1e-15 * before);
        }
        double length = norm(N, v);
        for (int j = 0; j < N; j++)
            v[j] /= length;
    }
}

static void a_vector_in_the_span_leaves_next_to_nothing(void **state)
{
    double q[6] = {.6, .8, 0, 0, 0, 1}, v[3] = {3, 4, 5}, zero[3] = {0};
    (void)state;
    assert_true(gdc_orthogonalise(2, 3, q, 3, v) <= 10 * DBL_EPSILON);
    assert_true(gdc_orthogonalise(2, 3, q, 3, zero) == 0);
}

/* One pass leaves an error of the size of the vector; what is left here is 10^7 times shorter. */
static void what_is_left_is_orthogonal_even_where_little_is(void **state)
{
    enum { N = 6 };
    double q[2 * N] = {0}, v[N];
    (void)state;
    for (int j = 0; j < N; j++) {
        q[j] = 1 / sqrt(N);
        q[N + j] = (j % 2 == 0 ? 1 : -1) / sqrt(N);
        v[j] = 3 * q[j] / 7 + q[N + j] / 3 + 1e-7 * sin(j * j);
    }
    double left = gdc_orthogonalise(2, N, q, N, v), length = norm(N, v);
    assert_true(left > 1e-9 && left < 1e-6);
    for (int i = 0; i < 2; i++) {
        double dot = 0;
        for (int j = 0; j < N; j++)
            dot += q[i * N + j] * v[j];
        assert_true(fabs(dot) <= 10 * DBL_EPSILON * length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_has_a_small_backward_error),
        cmocka_unit_test(matrices_are_row_major),
        cmocka_unit_test(pivoting_handles_a_zero_on_the_diagonal),
        cmocka_unit_test(the_empty_system_is_solved),
        cmocka_unit_test(a_tiny_but_well_conditioned_matrix_is_no_trouble),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(systems_that_are_not_finite_are_refused),
        cmocka_unit_test(a_solution_that_overflows_is_refused),
        cmocka_unit_test(least_squares_of_any_shape_and_rank_is_the_shortest_best),
        cmocka_unit_test(repeated_rows_share_the_weight),
        cmocka_unit_test(a_leading_column_of_zeros_hides_no_other),
        cmocka_unit_test(zeros_and_nothing_give_the_zero_solution),
        cmocka_unit_test(what_is_left_is_orthogonal),
        cmocka_unit_test(what_is_left_is_orthogonal_even_where_little_is),
        cmocka_unit_test(a_vector_in_the_span_leaves_next_to_nothing),
    };
    const char *given = getenv("GDC_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : seed;
    print_message("GDC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
