/* round.h - the engine handle: rounds of distributed gradient descent that do not wait for stragglers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One master (the root) and n workers 0..n-1. Each round the root has a model (d numbers) and asks for the gradient of the
 * round's batch, k = n*M partitions. gdc_gradient() returns as soon as the strategy is satisfied:
 *
 *     root                                            worker
 *     gdc_open(comm, &options, &engine)               gdc_open(comm, &options, &engine)         (engine.h, over MPI)
 *     repeat: gdc_gradient(engine, model, g, &round)  gdc_work(engine, partial, context)
 *     gdc_finish(engine, model)                         ... returns when the root finishes
 *     gdc_close(engine, NULL)                         gdc_close(engine, NULL)
 *
 * gdc_open_virtual() gives the same handle on a virtual clock in one process: a simulation in which every piece takes exactly
 * the time that the delay model says. This header needs no mpi.h.
 *
 * Sums. `gradient` estimates the SUM over all samples of the round's batch for every strategy; divide by the batch size.
 * round.exact says whether it is exact to rounding, round.scale what factor made up for samples left out.
 *
 * Threads. All calls on a handle come from one thread, gdc_is_over() excepted. Over MPI that thread needs at least
 * MPI_THREAD_FUNNELED if it is not the only one of the process. */
#ifndef GRADCODE_ROUND_H
#define GRADCODE_ROUND_H

#include "gradcode/delay.h"
#include "gradcode/fault.h"
#include "gradcode/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_engine gdc_engine;
struct gdc_critical; /* critical.h */

typedef enum gdc_dtype { GDC_F64, GDC_F32 } gdc_dtype; /* type of model, gradient and messages */

enum { GDC_CUT = 1 }; /* a callback's return: stopped because gdc_poll() said so */

/* ---- work ---- */

typedef struct gdc_task {
    size_t size;      /* sizeof(gdc_task) as the library was built */
    uint64_t version; /* which round's model */
    int worker;       /* who computes; partials must not depend on it */
    int partition; /* 0..k-1; p + q*k with q >= 1: p's q-th extra mini-batch at this version, asked for by strategies that
                          compute several (k-batch-sync, k-batch-async, local); gdc_next: -1 = the root has finished */
    const void *model; /* [d], valid until the callback returns */
    double scale;      /* factor of what is added */
    double loss;       /* out, optional: sum of the loss over the partition's samples; NaN before: not told */
} gdc_task;

/* sum += task->scale * (sum over the partition's samples of the gradient at task->model), d numbers of the options' dtype.
 * With BLAS that is alpha = scale and beta = 1. Returns 0: added; GDC_CUT: stopped after gdc_poll() = 1; anything else:
 * failed, with this code in the report. After GDC_CUT or failure nothing that contains this sum is sent; failure ends the
 * worker's part in the round, and three failed rounds in a row lose the worker. Must be the same gradient whoever computes it
 * (draw by version and partition, never by worker), and must not longjmp or throw. */
typedef int (*gdc_partial_fn)(void *context, gdc_task *task, void *sum);

/* ---- options ---- */

typedef enum gdc_fate { GDC_FATE_KEPT, GDC_FATE_FOLDED, GDC_FATE_DISCARDED, GDC_FATE_ERASED } gdc_fate;

/* What the root saw of one vector. */
typedef struct gdc_arrival_note {
    uint64_t version;
    int worker, index; /* index of the message in the plan; -2: a span that is no row of it */
    double arrival_s;  /* on the engine's clock */
    gdc_fate fate;     /* erased: a NaN, an Inf or a wrong checksum */
} gdc_arrival_note;

typedef struct gdc_options {
    size_t size;             /* set by gdc_options_init */
    const char *strategy;    /* spec (README, "Strategies"); copied. Default "gc:code=fractional,load=2" */
    int partitions;          /* M, partitions per shard (>= 1). Default 1 */
    size_t dimension;        /* d; 0 only for a virtual engine without partials (timing only) */
    gdc_dtype dtype;         /* default GDC_F64 */
    uint64_t seed;           /* of random codes and placement. Default 1 */
    int root;                /* rank of the root in comm. Default 0 */
    const double *samples;   /* [k] samples per partition, copied; NULL: all partitions count as equal */
    uint64_t first_version;  /* number of the first round, >= 1. Default 1 */
    double round_deadline_s; /* from the moment when only suspects could complete a round. Default 10 */
    double root_deadline_s;  /* worker: silence after which a root on another host is given up; 0: never. Default 0 */
    double shutdown_s;       /* gdc_close at the root waits at most so long for the workers. Default 3 */
    const gdc_delay
        *delay;    /* durations of pieces, kept until gdc_close; NULL: virtual: none:piece=0.001; MPI: as they come */
    double poll_s; /* how often a sleeping or simulated piece looks whether its round is over: INFINITY: never (a
                                piece is carried over into the next round); 0: at once, virtual clock only. Default INFINITY */
    int checksum;  /* 1: CRC32C over every vector. Default 1 */
    int force;     /* 1: float32 messages although their predicted error is above 1e-3. Default 0 */
    double bandwidth;        /* virtual clock: bytes/s of the master's link in each direction. Default INFINITY */
    double latency_s;        /* virtual clock: of every message. Default 0 */
    const gdc_fault *faults; /* [fault_count], copied */
    int fault_count;
    /* MPI: does a kill or stop to the calling process (the library itself never does). NULL: such faults are GDC_EINVAL. */
    void (*act)(void *context, const gdc_fault *fault);
    void *act_context;
    /* Root: called once per vector received, from inside gdc_gradient. NULL: nobody looks. */
    void (*observe)(void *context, const gdc_arrival_note *note);
    void *observe_context;
    /* local: a worker's own model moves by -local_rate * (mean gradient of its mini-batch, by options.samples). Default 0, with
     * which several local steps are GDC_EINVAL where there are gradients */
    double local_rate;
    int norms; /* 1: workers tell the squared norms of their partials (before encoding; one more pass over each). Default 0 */
} gdc_options;

GDC_API void gdc_options_init(gdc_options *options);

/* ---- rounds ---- */

typedef struct gdc_round {
    size_t size;      /* sizeof(gdc_round), set by the caller */
    uint64_t version; /* number of the round */
    int exact;        /* 1: the gradient is that of the whole batch, to rounding */
    double scale;     /* factor that made up for samples left out; 1 when exact */
    /* Share of the batch's samples whose gradient entered: 0..1, above 1 with extra mini-batches (k-batch-sync, k-batch-async,
     * local, resample). */
    double used;
    double residual;      /* sqrt(||a^T R - 1||^2 / k) of the decode */
    double amplification; /* of the decode; NaN where nothing was decoded */
    int messages; /* vectors of this version (of any, where stale ones count) that arrived by the end of the round */
    double began_s, ended_s; /* on the engine's clock, see gdc_now */
    /* Of the vectors that entered: how many, how many of them were computed on this round's model, and the sum of their
     * staleness (rounds between the model that a vector was computed on and the one that it updates). */
    uint64_t vectors, fresh, staleness;
    /* Right after the update: sum over busy workers of what the staleness of their vector would be in the next round; 0 where
     * stale vectors do not count. */
    uint64_t in_flight;
    /* Mean loss per sample (per partition without options.samples), told by the vectors that entered; NaN: not told, or an
     * all-reduce, which does not carry it. */
    double loss;
    double samples; /* behind the gradient, counted as in options.samples: its mean is gradient / (scale * samples) */
    /* With options.norms, of the parts told by the vectors that entered (a part is one partition's sum over its b_j samples; one
     * that several workers computed counts as often as it was told): how many, sum |part_j|^2 / sum b_j^2, that is the mean
     * |g_l|^2 of parts of equal size, and sum b_j^2 / sum b_j, their size. 0 and NaN: nobody told. */
    uint64_t parts;
    double norm2, part_samples;
} gdc_round;

/* The virtual clock. workers = n >= 1. partial = NULL: timing only (models and gradients may then be NULL). With partials,
 * real gradients go through the same encode and decode paths as over MPI. EINVAL, ENOMEM as gdc_open. */
GDC_API gdc_status gdc_open_virtual(const gdc_options *options, int workers, gdc_partial_fn partial, void *context,
                                    gdc_engine **engine);

/* Root: one round. model [d] may be reused on return; gradient [d] must not overlap it and is undefined on error. round may be
 * NULL. EUNRECOVERABLE: the workers that are left cannot give the gradient (named, with partitions). ETIMEDOUT: only suspects
 * could, and did not within round_deadline_s (named). ENUMERIC: residual above the gate. EMPI. After EUNRECOVERABLE, ETIMEDOUT
 * and ENUMERIC the engine stays usable: the next call is the next round. */
GDC_API gdc_status gdc_gradient(gdc_engine *engine, const void *model, void *gradient, gdc_round *round);

/* Feeds a round that came with options.norms to the estimates of critical.h, with the gradient [d] as it was returned (before it is
 * divided, regularised or stepped along; one pass over it). Rounds that show no noise, being one part, or whose decode is not a
 * plain mean of what was used (an approximate code) are passed over. EINVAL: a round of a shorter size. */
GDC_API gdc_status gdc_critical_observe(struct gdc_critical *critical, const gdc_round *round, gdc_dtype dtype,
                                        size_t d, const void *gradient);

/* Root: gives every live worker the final model [d] (NULL: none) and lets it leave. No rounds after this. */
GDC_API gdc_status gdc_finish(gdc_engine *engine, const void *model);

/* Worker: serves until the root finishes, computing through partial. OK: the root finished. EROOT: the root is gone.
 * EINVAL: called at the root. ENUMERIC: this worker failed three rounds in a row (code in the sentence). */
GDC_API gdc_status gdc_work(gdc_engine *engine, gdc_partial_fn partial, void *context);

/* Worker, for programs that keep their own loop; gdc_work is written over these two. gdc_next waits for the next partition to
 * compute and lends the vector to add to; task->partition = -1: the root has finished, task->model is the final model or NULL.
 * gdc_submit hands the task back with the callback's return code. */
GDC_API gdc_status gdc_next(gdc_engine *engine, gdc_task *task, void **sum);
GDC_API gdc_status gdc_submit(gdc_engine *engine, const gdc_task *task, int code);

/* Worker, from inside a callback: has the round of this task ended? Also keeps messages moving; call it every 0.5 to 1 ms.
 * Sticky until the callback returns. 0 on a virtual engine. */
GDC_API int gdc_poll(gdc_engine *engine);
/* The same without touching messages, from any thread; as fresh as the last gdc_poll or library call. */
GDC_API int gdc_is_over(const gdc_engine *engine);

/* The final model [d] that a worker was given by gdc_finish; NULL before, and where there was none. Valid until gdc_close. */
GDC_API const void *gdc_final_model(const gdc_engine *engine);

/* Seconds on the engine's clock: virtual time, or a monotonic clock of this process. */
GDC_API double gdc_now(const gdc_engine *engine);
GDC_API int gdc_workers(const gdc_engine *engine);
GDC_API const gdc_plan *gdc_engine_plan(
    const gdc_engine *engine); /* NULL for an all-reduce strategy; owned by the engine */
/* What the strategy promises: exact 1/0, collective (all-reduce) 1/0; adaptive 1/0: what it waits for depends on the losses that
 * it is told, so that a run for timing only is another one. */
GDC_API int gdc_is_exact(const gdc_engine *engine);
GDC_API int gdc_is_adaptive(const gdc_engine *engine);
GDC_API int gdc_is_collective(const gdc_engine *engine);
/* 1: workers step on models of their own, so that no gradient of one model is what the round's sum stands for. */
GDC_API int gdc_steps_locally(const gdc_engine *engine);
/* Rounds from the first one on that the strategy watches before it chooses its parameters (drop:tau=auto); 0: none. What it costs
 * and gains shows in later rounds only. */
GDC_API int gdc_lead_in(const gdc_engine *engine);
/* What the strategy has chosen by itself, such as "tau=0.123"; "" while it has not, or where all was given. Valid until gdc_close;
 * the text may change between two rounds. */
GDC_API const char *gdc_chosen(const gdc_engine *engine);

typedef enum gdc_health { GDC_ALIVE, GDC_SUSPECT, GDC_DEAD } gdc_health;

typedef struct gdc_worker_stats {
    size_t size;       /* sizeof(gdc_worker_stats), set by the caller */
    uint64_t pieces;   /* pieces finished since the start, used or not */
    double used;       /* of those, the ones inside vectors that entered a gradient */
    double home_used;  /* partitions of this worker's home shard that entered a gradient, whoever computed them */
    uint64_t messages; /* vectors sent */
    uint64_t bytes;    /* vectors sent plus models received, payload bytes */
    double compute_s;  /* real computation inside pieces */
    double piece_s;    /* duration of the finished pieces */
    uint64_t overran;  /* pieces whose computation took longer than their drawn duration */
    gdc_health health;
    const char *lost; /* "dead", "stopped" or "silent" when it was ever lost or suspected, else NULL; a static string */
    uint64_t lost_version; /* the round in which that was noticed */
    int returned;          /* 1: it came back after that */
    int error;             /* code of the last failed callback it reported; 0: none */
    uint64_t erased;       /* vectors of this worker that were not finite or did not match their checksum */
} gdc_worker_stats;

/* Root: of any worker. Worker: of itself only (EINVAL otherwise). */
GDC_API gdc_status gdc_stats(const gdc_engine *engine, int worker, gdc_worker_stats *stats);

/* Ends the engine. Root: not collective; waits at most shutdown_s for the workers to say goodbye; *missing (may be NULL) is the
 * number that did not. Worker: leaves (before the root finished: tells it so); *missing is 1 if the root is gone or has told
 * that a worker is. Accepts NULL.
 * What then ends the processes is the application's: with nobody missing MPI_Finalize, else gdc_mpi_finalize (engine.h) with a
 * guard. A process that stands still (SIGSTOP) keeps mpirun waiting whatever the others do: somebody must end it. */
GDC_API gdc_status gdc_close(gdc_engine *engine, int *missing);

/* For listings: the i-th strategy of the registry, NULL past the end. */
GDC_API const char *gdc_strategy(int i, const struct gdc_option **options, const char **help);

/* Checks a strategy spec against a size without opening anything: same sentences as gdc_open. *collective, *exact may be NULL. */
GDC_API gdc_status gdc_strategy_check(const char *spec, int workers, int partitions, uint64_t seed, int *collective,
                                      int *exact);

#ifdef __cplusplus
}
#endif
#endif
