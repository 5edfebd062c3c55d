/* prog_wire.c - the laws of tags and trailers, and a worker that sends nonsense.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that are too long, too short, unknown, damaged, or about another version: the root counts them, uses nothing
 * of them, honours their READY, and its rounds stay exact. */
#include "engine/policy.h"
#include "gradcode/engine.h"
#include "mpi/law.h"
#include "support/integer_problem.h"
#include "transport/mpi_message.h"
#include "transport/mpi_root.h"
#include "transport/mpi_worker.h"
#include "transport/transport.h"

#include <stdlib.h>

enum { D = 20000, ROUNDS = 40 };

/* ---- tags and trailers --------------------------------------------------------------------------- */

static void tags(law *l)
{
    for (int index = GDC_SPAN; index <= GDC_INDEX_MAX; index++) {
        for (int ready = 0; ready < 2; ready++) {
            int tag = gdc_tag_make(index, ready);
            expect(l, tag > GDC_TAG_CTRL && tag <= 32767, "tag %d", tag);
            expect(l, gdc_tag_is_known(tag) && gdc_tag_index(tag) == index && gdc_tag_is_ready(tag) == ready, "tag %d",
                   tag);
        }
    }
    static const int unknown[] = {0, 1, 2, 5, 6, 7, 10, 15};
    for (int i = 0; i < 8; i++) {
        expect(l, !gdc_tag_is_known(unknown[i]), "tag %d", unknown[i]);
    }
    law_end(l, "a tag gives back its index and READY");
}

static void trailers(law *l)
{
    unsigned char payload[100] = {1, 2, 3};
    gdc_trailer good = gdc_trailer_make(GDC_KIND_DATA, 17);
    good.units = 4;
    gdc_trailer_seal(&good, payload, sizeof payload, true);
    expect(l, gdc_trailer_is_sound(&good, 4) && !gdc_trailer_is_sound(&good, 5), "units");
    expect(l, gdc_trailer_matches(&good, payload, sizeof payload), "payload");
    for (int bit = 0; bit < 8 * (int)sizeof good; bit++) {
        gdc_trailer bad;
        memcpy(&bad, &good, sizeof bad);
        ((unsigned char *)&bad)[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect(l, !gdc_trailer_is_sound(&bad, 4), "bit %d", bit);
    }
    for (int bit = 0; bit < 8 * (int)sizeof payload; bit++) {
        payload[bit / 8] ^= (unsigned char)(1 << bit % 8);
        expect(l, !gdc_trailer_matches(&good, payload, sizeof payload), "bit %d of the payload", bit);
        payload[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    law_end(l, "every flipped bit of trailer and payload is found");
}

/* ---- nonsense ------------------------------------------------------------------------------------ */

typedef struct liar {
    const gdc_link *link;
    unsigned char *message; /* room for twice the agreed length */
    int id;
} liar;

static void send_raw(const liar *f, int units, int tag)
{
    MPI_Request request;
    int done = 0;
    MPI_Isend(f->message, units, f->link->unit, f->link->root, tag, f->link->comm, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void put(const liar *f, gdc_trailer trailer, int units)
{
    trailer.worker = f->id;
    trailer.units = units;
    gdc_trailer_seal(&trailer, f->message, f->link->payload_bytes, units > GDC_TRAILER_UNITS);
    gdc_trailer_put(f->message, units, &trailer);
}

/* One answer's worth of nonsense; its last message is the READY. */
static void lie(const liar *f, uint64_t version, int which)
{
    int units = f->link->message_units;
    gdc_trailer trailer = gdc_trailer_make(GDC_KIND_DATA, version);
    trailer.index = 0;
    trailer.flags = GDC_FLAG_READY;
    memset(f->message, 0, (size_t)units * GDC_UNIT);
    ((double *)f->message)[0] = 1e9; /* shows in the sum if it is used */
    put(f, trailer, units);
    switch (which % 9) {
    case 0:
        send_raw(f, 2 * units, GDC_TAG_DATA + 1); /* too long */
        return;
    case 1:
        send_raw(f, 1, GDC_TAG_DATA + 1); /* too short for a trailer */
        return;
    case 2:
        send_raw(f, units, 5);                        /* an unknown tag carries no READY */
        send_raw(f, units, GDC_TAG_DATA + 2 * 7 + 1); /* a row that it does not have */
        return;
    case 3:
        trailer.version = version + 1;
        break;
    case 4:
        trailer.index = 1;
        break;
    case 5:
        f->message[0] ^= 1; /* after its checksum was made */
        send_raw(f, units, GDC_TAG_DATA + 1);
        return;
    case 6:
        memset(f->message, 0xff, (size_t)units * GDC_UNIT); /* no trailer at all */
        send_raw(f, units, GDC_TAG_DATA + 1);
        return;
    case 7:
        trailer.kind = GDC_KIND_SPAN;
        trailer.index = GDC_SPAN;
        trailer.first = 1;
        trailer.count = 1 << 30; /* a span that does not exist */
        put(f, trailer, units);
        send_raw(f, units, GDC_TAG_SPAN + 1);
        return;
    default:
        send_raw(f, 0, GDC_TAG_BARE + 1); /* nothing at all */
        return;
    }
    put(f, trailer, units);
    send_raw(f, units, GDC_TAG_DATA + 1);
}

/* Speaks the protocol by hand: READY, then an answer to each MODEL until STOP. */
static void serve_badly(law *l, gdc_engine *engine)
{
    gdc_mpi_worker *worker = engine->self;
    liar f = {.link = &worker->link, .id = worker->id};
    f.message = aligned_alloc(GDC_UNIT, 2 * (size_t)f.link->message_units * GDC_UNIT);
    if (!f.message) {
        abort();
    }
    gdc_trailer hello = gdc_trailer_make(GDC_KIND_BARE, 0);
    hello.flags = GDC_FLAG_READY;
    put(&f, hello, GDC_TRAILER_UNITS);
    send_raw(&f, GDC_TRAILER_UNITS, GDC_TAG_BARE + 1);
    worker->owes_ready = false;
    int lies = 0;
    for (;;) {
        gdc_idle_reset(&worker->idle);
        while (!worker->model_came) {
            gdc_mpi_worker_pause(worker);
        }
        gdc_trailer trailer = gdc_trailer_at(worker->model[worker->held == 0 ? 1 : 0], worker->model_units);
        if (trailer.kind == GDC_KIND_STOP) {
            gdc_mpi_worker_obey_stop(worker, &trailer);
            break;
        }
        gdc_mpi_worker_post_model(worker);
        lie(&f, trailer.version, lies++);
    }
    expect(l, lies >= 9, "only %d lies were told", lies);
    free(f.message);
}

static void nonsense(law *l)
{
    int rank;
    gdc_options options;
    gdc_engine *engine = NULL;
    integer_problem p = {.dimension = D, .fail_partition = -1, .nan_partition = -1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gdc_options_init(&options);
    options.dimension = D;
    options.shutdown_s = 10;
    expect(l, gdc_open(MPI_COMM_WORLD, &options, &engine) == GDC_OK, "gdc_open");
    if (rank == 0) {
        double *model = calloc(D, sizeof *model), *gradient = calloc(D, sizeof *gradient);
        int missing = -1;
        for (int r = 0; model && gradient && r < ROUNDS; r++) {
            gdc_status status = gdc_gradient(engine, model, gradient, NULL);
            double off = 0;
            for (size_t i = 0; i < D; i++) {
                off += gradient[i] != integer_total(gdc_workers(engine), (uint64_t)r + 1, i);
            }
            expect(l, status == GDC_OK && off == 0, "round %d: %s, %g elements are wrong", r, gdc_strerror(status),
                   off);
        }
        uint64_t strange = ((gdc_mpi_root *)engine->self)->strange_count;
        expect(l, strange >= 9, "only %d messages were found strange", (int)strange);
        expect(l, gdc_close(engine, &missing) == GDC_OK && missing == 0, "%d missing", missing);
        free(model);
        free(gradient);
    } else if (rank == 2) {
        serve_badly(l, engine);
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    } else {
        expect(l, gdc_work(engine, integer_partial, &p) == GDC_OK, "gdc_work");
        expect(l, gdc_close(engine, NULL) == GDC_OK, "gdc_close");
    }
    law_end(l, "a worker that sends nonsense is not believed, its READY is honoured, the rounds stay exact");
}

int main(int argc, char **argv)
{
    law l = {.failures = 0};
    MPI_Init(&argc, &argv);
    tags(&l);
    trailers(&l);
    nonsense(&l);
    MPI_Finalize();
    return l.total ? 1 : 0;
}
