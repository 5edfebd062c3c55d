/* post.c - orders, notes and readings: point-to-point, never blocking on a peer.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "interrupt.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_ORDER = 1, TAG_NOTE, TAG_ROUNDS, TAG_MODEL, TAG_GRADIENT, TAG_LAST };

static const double first_nap_s = .0001, longest_nap_s = .002, look_every_s = .25, transfer_s = 30, farewell_s = 3,
                    hurry_s = .5;

/* Short waits stay short, long ones leave the core to those who compute. */
static void nap(double *next_s)
{
    session_sleep(*next_s);
    *next_s = fmin(*next_s * 1.5, longest_nap_s);
}

/* ---- rank 0: orders and notes ---- */

void session_order(session *s, int about, bool calm)
{
    for (int w = 0; w < s->workers; w++) {
        peer *p = &s->peer[w];
        int is_free = 1;
        if (p->is_lost)
            continue;
        if (p->order_request != MPI_REQUEST_NULL &&
            (MPI_Test(&p->order_request, &is_free, MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_free))
            continue;
        p->order = (order){.entry = about, .calm = calm};
        if (MPI_Isend(&p->order, (int)sizeof p->order, MPI_BYTE, w + 1, TAG_ORDER, s->comm, &p->order_request) !=
            MPI_SUCCESS) {
            p->is_lost = true;
            continue;
        }
        p->entry = about;
        p->owes = true;
    }
}

/* Takes in what has come from one worker. Notes come in the order of the orders; old ones are passed over. */
static void receive_note(session *s, int w)
{
    peer *p = &s->peer[w];
    for (;;) {
        int has_come = 0;
        if (p->note_request == MPI_REQUEST_NULL && MPI_Irecv(&p->note, (int)sizeof p->note, MPI_BYTE, w + 1, TAG_NOTE,
                                                             s->comm, &p->note_request) != MPI_SUCCESS) {
            p->is_lost = true;
            return;
        }
        if (MPI_Test(&p->note_request, &has_come, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            p->is_lost = true;
            return;
        }
        if (!has_come)
            return;
        if (p->note.entry == p->entry) {
            p->owes = false;
            return;
        }
    }
}

static process_state state_of(const peer *p)
{
    return p->is_near ? process_look(&p->who) : PROCESS_UNKNOWN;
}

const char *session_how_lost(const peer *p)
{
    return p->is_lost ? "dead" : state_of(p) == PROCESS_STOPPED ? "stopped" : "silent";
}

typedef struct roll {
    int waiting, running, here; /* owing a note; of those, not known to stand still; notes that came */
} roll;

static roll call_roll(session *s, bool looks)
{
    roll count = {.waiting = 0};
    for (int w = 0; w < s->workers; w++) {
        peer *p = &s->peer[w];
        if (p->is_lost)
            continue;
        if (p->owes)
            receive_note(s, w);
        process_state state = p->owes && looks ? state_of(p) : PROCESS_UNKNOWN;
        /* A note may have been on its way when the process ended: one more look into the mail decides. */
        if (state == PROCESS_GONE) {
            receive_note(s, w);
            p->is_lost = true;
        }
        if (p->is_lost || !p->owes) {
            count.here += !p->owes;
            continue;
        }
        count.waiting++;
        count.running += state != PROCESS_STOPPED;
    }
    return count;
}

void session_collect(session *s, double patience_s, bool at_once)
{
    double deadline = at_once ? session_clock() + patience_s : INFINITY, looked = 0, nap_s = first_nap_s;
    bool hurries = false;
    for (;;) {
        double now = session_clock();
        bool looks = now - looked >= look_every_s;
        roll count = call_roll(s, looks);
        if (looks)
            looked = now;
        if (count.here > 0 && isinf(deadline))
            deadline = now + patience_s;
        if (interrupt_seen() && !hurries && s->peer[0].entry >= 0) {
            hurries = true;
            deadline = fmin(deadline, now + hurry_s);
        }
        if (hurries && !s->peer[0].owes)
            return;
        bool only_stopped = looks && count.running == 0 && isfinite(deadline);
        if (count.waiting == 0 || only_stopped || now > deadline)
            return;
        nap(&nap_s);
    }
}

int session_absent(session *s)
{
    for (int w = 0; w < s->workers; w++) {
        peer *p = &s->peer[w];
        if (p->owes && !p->is_lost)
            receive_note(s, w);
        if (!p->is_lost && state_of(p) == PROCESS_GONE)
            p->is_lost = true;
        if (p->is_lost || p->owes)
            return w;
    }
    return -1;
}

void session_farewell(session *s)
{
    session_order(s, -1, session_absent(s) < 0);
    session_collect(s, farewell_s, true);
    for (int w = 0; w < s->workers; w++)
        if (s->peer[w].owes && !s->peer[w].is_lost && s->peer[w].is_near)
            process_end(&s->peer[w].who);
}

/* ---- worker ---- */

bool session_root_lives(session *s)
{
    double now = session_clock();
    if (!s->root_is_near || now - s->looked_s < 1)
        return true;
    s->looked_s = now;
    return process_look(&s->root) != PROCESS_GONE;
}

static bool finish(session *s, MPI_Request *request)
{
    double nap_s = first_nap_s;
    for (int is_done = 0;;) {
        if (MPI_Test(request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (is_done)
            return true;
        if (!session_root_lives(s))
            return false;
        nap(&nap_s);
    }
}

/* Rank 0 looks after the workers, once a second. */
static int first_gone(session *s)
{
    double now = session_clock();
    if (s->rank != 0 || now - s->looked_s < 1)
        return -1;
    s->looked_s = now;
    for (int w = 0; w < s->workers; w++)
        if (s->peer[w].is_near && process_look(&s->peer[w].who) == PROCESS_GONE)
            return w;
    return -1;
}

gdc_status session_share(session *s, double *table, size_t count)
{
    MPI_Request request;
    double nap_s = first_nap_s;
    if (MPI_Iallreduce(MPI_IN_PLACE, table, (int)count, MPI_DOUBLE, MPI_SUM, s->comm, &request) != MPI_SUCCESS)
        return gdc_fail(GDC_EMPI, "MPI_Iallreduce failed at start-up");
    for (int is_done = 0;;) {
        if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return gdc_fail(GDC_EMPI, "MPI_Test failed at start-up");
        if (is_done)
            return GDC_OK;
        int gone = first_gone(s);
        if (gone >= 0)
            return gdc_fail(GDC_ETIMEDOUT, "worker %d was lost at start-up", gone);
        if (s->rank != 0 && !session_root_lives(s))
            return gdc_fail(GDC_ETIMEDOUT, "the root was lost at start-up");
        nap(&nap_s);
    }
}

bool session_await(session *s, order *o)
{
    MPI_Request request;
    return MPI_Irecv(o, (int)sizeof *o, MPI_BYTE, 0, TAG_ORDER, s->comm, &request) == MPI_SUCCESS &&
           finish(s, &request);
}

bool session_tell(session *s, const note *n)
{
    MPI_Request request;
    return MPI_Isend(n, (int)sizeof *n, MPI_BYTE, 0, TAG_NOTE, s->comm, &request) == MPI_SUCCESS && finish(s, &request);
}

/* ---- readings of an all-reduce: rounds, then the sampled vectors one by one, then the final model ---- */

typedef struct parcel {
    void *data;
    int count, tag;
    MPI_Datatype type;
} parcel;

/* The i-th message of the readings; false past the end. */
static bool parcel_of(const record *rec, size_t i, parcel *out)
{
    const run *r = rec->run;
    MPI_Datatype type = r->dtype == GDC_F64 ? MPI_DOUBLE : MPI_FLOAT;
    size_t bytes = r->dimension * r->element, sample = (i - 1) / 2;
    parcel vector = {.count = (int)r->dimension, .type = type};
    if (i == 0) {
        /* In whole records, so that the count stays small. */
        *out = (parcel){.data = rec->round, .count = (int)rec->rounds, .tag = TAG_ROUNDS, .type = MPI_DATATYPE_NULL};
        return true;
    }
    if (i > 2 * rec->kept + 1)
        return false;
    bool is_last = i == 2 * rec->kept + 1, is_model = i % 2 == 1;
    vector.data = is_last ? rec->last : (is_model ? rec->models : rec->gradients) + sample * bytes;
    vector.tag = is_last ? TAG_LAST : is_model ? TAG_MODEL : TAG_GRADIENT;
    *out = vector;
    return true;
}

static bool make_round_type(MPI_Datatype *type)
{
    return MPI_Type_contiguous((int)sizeof(result_round), MPI_BYTE, type) == MPI_SUCCESS &&
           MPI_Type_commit(type) == MPI_SUCCESS;
}

bool session_give_readings(session *s, const record *rec)
{
    MPI_Datatype rounds;
    parcel p;
    if (!make_round_type(&rounds))
        return false;
    bool is_sent = true;
    for (size_t i = 0; is_sent && parcel_of(rec, i, &p); i++) {
        MPI_Request request;
        is_sent = MPI_Isend(p.data, p.count, p.type == MPI_DATATYPE_NULL ? rounds : p.type, 0, p.tag, s->comm,
                            &request) == MPI_SUCCESS &&
                  finish(s, &request);
    }
    return MPI_Type_free(&rounds) == MPI_SUCCESS && is_sent;
}

static bool receive(session *s, const parcel *p, MPI_Datatype rounds)
{
    MPI_Request request;
    if (MPI_Irecv(p->data, p->count, p->type == MPI_DATATYPE_NULL ? rounds : p->type, 1, p->tag, s->comm, &request) !=
        MPI_SUCCESS)
        return false;
    double deadline = session_clock() + transfer_s, nap_s = first_nap_s;
    for (int is_done = 0;;) {
        if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (is_done)
            return true;
        if (session_clock() > deadline)
            return false;
        nap(&nap_s);
    }
}

gdc_status session_take_readings(session *s, record *rec)
{
    MPI_Datatype rounds;
    parcel p;
    const note *n = &s->peer[0].note;
    if (n->rounds > rec->most || n->kept > rec->run->sampled_count)
        return gdc_fail(GDC_EDATA, "worker 0 announced %llu rounds and %llu samples: want at most %zu and %zu",
                        (unsigned long long)n->rounds, (unsigned long long)n->kept, rec->most, rec->run->sampled_count);
    if (!make_round_type(&rounds))
        return gdc_fail(GDC_EMPI, "the readings of worker 0 could not be received");
    rec->rounds = (size_t)n->rounds;
    rec->kept = (size_t)n->kept;
    for (size_t i = 0; parcel_of(rec, i, &p); i++) {
        if (receive(s, &p, rounds))
            continue;
        rec->lent = true;
        return gdc_fail(GDC_ETIMEDOUT, "worker 0 did not hand over its readings within %g s", transfer_s);
    }
    MPI_Type_free(&rounds);
    return GDC_OK;
}
