------------------------------- MODULE Windrow -------------------------------
(***************************************************************************)
(* The life of a job under claims, leases, crashes and late workers: what  *)
(* the store's verbs do to its row, and what can happen around them. What  *)
(* is modelled and what is not, how to run it and how to read a            *)
(* counterexample: docs/model.md.                                          *)
(*                                                                         *)
(* Time. One tick is a third of a lease. A live worker renews between any  *)
(* two ticks. Two ticks contain a whole third, wherever one begins to      *)
(* count: that is the patience of a reclaimer. Ticks are monotonic; the    *)
(* wall clock goes with them, and also steps by itself, both ways. What    *)
(* the row knows of time is how far its lease is ahead of the wall clock.  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Jobs,         \* a set of model values
  Workers,      \* processes: each claims, renews and settles
  Reclaimers,   \* those of them that take back jobs as well; in the code all do
  MaxToken,     \* no claim beyond this token: what makes the model finite
  MaxAttempts,  \* of each job
  MaxLost,      \* how often a job may be lost before it counts as a crash; 3 in Outcomes
  Lease,        \* in ticks
  Taken,        \* the transitions that are taken, by name; AllTransitions for all
  ClockSteps,   \* by how many ticks the wall clock may step, forward or (negative) back
  MayLock,      \* whether somebody else may hold the write lock of the file
  MaxTroubles,  \* how many crashes, pauses, clock steps and locks; Unbounded for any number
  MUTANT        \* "none", or which rule is broken on purpose

Unbounded == 99
BothWays  == {-(Lease + 1), -1, 1, Lease + 1}
Patience  == IF MUTANT = "reclaim within one renewal" THEN 1 ELSE 2

Mutants == {
  "none",
  "settle without token",   \* the holder's update names the job alone
  "renew without token",    \* as above, for leases
  "reclaim by wall clock",  \* a lease that is past is enough
  "reclaim within one renewal",  \* the patience is as short as what a live worker takes between two renewals
  "reclaim without write",  \* the reclaimer counts from when it saw the lease, without having committed since
  "reclaim as first seen"   \* what becomes of the job is decided by what was read before, whatever has come since
}
ASSUME MUTANT \in Mutants

(***************************************************************************)
(* The state machine. Each line is one value of the enum Transition, and   *)
(* the action of this module that takes it; ModelCheckTest compares them.  *)
(***************************************************************************)
Transitions == {
  [name |-> "ENQUEUE_BLOCKED",   from |-> {"NEW"},       to |-> "BLOCKED",   by |-> "Enqueue"],
  [name |-> "ENQUEUE_SCHEDULED", from |-> {"NEW"},       to |-> "SCHEDULED", by |-> "Enqueue"],
  [name |-> "ENQUEUE_PENDING",   from |-> {"NEW"},       to |-> "PENDING",   by |-> "Enqueue"],
  [name |-> "RELEASE",           from |-> {"BLOCKED"},   to |-> "PENDING",   by |-> "Release"],
  [name |-> "RELEASE_LATER",     from |-> {"BLOCKED"},   to |-> "SCHEDULED", by |-> "Release"],
  [name |-> "WAKE",              from |-> {"BLOCKED"},   to |-> "PENDING",   by |-> "Release"],
  [name |-> "PROMOTE",           from |-> {"SCHEDULED"}, to |-> "PENDING",   by |-> "Promote"],
  [name |-> "RESCHEDULE",        from |-> {"SCHEDULED", "PENDING"}, to |-> "SCHEDULED", by |-> "Reschedule"],
  [name |-> "CLAIM",             from |-> {"PENDING"},   to |-> "RUNNING",   by |-> "Claim"],
  [name |-> "COMPLETE",          from |-> {"RUNNING"},   to |-> "COMPLETED", by |-> "Settle"],
  [name |-> "FAIL",              from |-> {"RUNNING"},   to |-> "FAILED",    by |-> "Settle"],
  [name |-> "RETRY_LATER",       from |-> {"RUNNING"},   to |-> "SCHEDULED", by |-> "Settle"],
  [name |-> "SNOOZE",            from |-> {"RUNNING"},   to |-> "SCHEDULED", by |-> "Settle"],
  [name |-> "HAND_BACK",         from |-> {"RUNNING"},   to |-> "PENDING",   by |-> "Settle"],
  [name |-> "PARK",              from |-> {"RUNNING"},   to |-> "BLOCKED",   by |-> "Settle"],
  [name |-> "CANCEL_RUNNING",    from |-> {"RUNNING"},   to |-> "CANCELLED", by |-> "Settle"],
  [name |-> "CANCEL",            from |-> {"BLOCKED", "SCHEDULED", "PENDING"}, to |-> "CANCELLED", by |-> "Change"],
  [name |-> "COMPLETE_EXTERNALLY",  from |-> {"BLOCKED", "SCHEDULED", "PENDING", "RUNNING"}, to |-> "COMPLETED", by |-> "Change"],
  [name |-> "FAIL_EXTERNALLY",      from |-> {"BLOCKED", "SCHEDULED", "PENDING", "RUNNING"}, to |-> "FAILED", by |-> "Change"],
  [name |-> "RETRY",             from |-> {"FAILED", "CANCELLED"}, to |-> "PENDING",   by |-> "Change"],
  [name |-> "RETRY_BLOCKED",     from |-> {"FAILED", "CANCELLED"}, to |-> "BLOCKED",   by |-> "Change"],
  [name |-> "DELETE",            from |-> {"COMPLETED", "FAILED", "CANCELLED"}, to |-> "GONE", by |-> "Change"],
  [name |-> "EXPIRE",            from |-> {"COMPLETED", "FAILED", "CANCELLED"}, to |-> "GONE", by |-> "Change"]
}

(***************************************************************************)
(* The commands of a store and its reads, and the action that models each. *)
(***************************************************************************)
Verbs == [
  Enqueue  |-> "Enqueue",
  Claim    |-> "Claim",
  Started  |-> "Started",
  Settle   |-> "Settle",
  Renew    |-> "Renew",
  suspects |-> "Suspects",
  Reclaim  |-> "Reclaim",
  Touch    |-> "Touch",
  Change   |-> "Change",
  Expire   |-> "Change",
  Signal   |-> "Release"
]
\* They change no job.
NotModelled == {"close", "location", "nowMillis", "history", "outcome", "parents", "links", "chain", "chainInfo", "chains", "metadata", "find", "FindKeyed", "workflow", "batch", "list", "jobs", "payloads", "statistics",
                "throughput", "unfinished", "explain", "newestJob", "matching", "workflows", "suggest",
                "Announce", "LimitChange", "controls", "Admit", "keysToAdmit", "keysWithRoom", "keys", "admitTime", "audit", "RecordReveal", "Withdraw",
                "WithdrawProcess", "workers", "tasks", "Report", "diagnose",
                \* The children of a parent that has ended are released or cancelled as by its end.
                "Release", "unreleasedParents",
                \* A blob is written before its job or settlement, and adopted in the transaction of that.
                "Stage", "Unstage", "SweepStaged", "blobPart", "existingBlobs",
                \* What an ended process holds is reclaimed without patience: by the tokens, and the dead do not renew.
                "heldBy",
                \* A step is guarded as a report is, and is read by its holder.
                "StepWrite", "steps",
                \* A wait that runs out of time takes FAIL_EXTERNALLY, as a change by anybody, or WAKE.
                "EndWaits",
                \* Jobs of schedules are enqueued like others, when a row of its own says so that has been read.
                "ScheduleChange", "schedule", "dueSchedules", "Fire", "schedules", "scheduleRuns",
                \* What may go is guarded again when it goes; rules, background tasks and space are no jobs.
                "retention", "RetentionChange", "expiring", "expiryTime", "Recount", "wrongFailureSums", "Prune", "Shrink", "vacuum", "task",
                "Lead", "Resign", "EndTask",
                \* A transaction for the commands above.
                "submit", "apply", "inTransaction", "isInTransaction"}

Enqueueing    == {t \in Transitions : t.by = "Enqueue" /\ t.name \in Taken}
Releasing     == {t \in Transitions : t.by = "Release" /\ t.name \in Taken}
Promoting     == {t \in Transitions : t.by = "Promote" /\ t.name \in Taken}
Rescheduling  == {t \in Transitions : t.by = "Reschedule" /\ t.name \in Taken}
Changing      == {t \in Transitions : t.by = "Change" /\ t.name \in Taken}
Settling      == {t \in Transitions : t.by = "Settle" /\ t.name \in Taken}
AllTransitions == {t.name : t \in Transitions}
Edges         == UNION {{<<from, t.to>> : from \in t.from} : t \in Transitions}
Finals        == {"COMPLETED", "FAILED", "CANCELLED"}
States        == {"NEW", "BLOCKED", "SCHEDULED", "PENDING", "RUNNING", "GONE"} \union Finals

\* What an attempt row says, as far as it matters here: who ended the attempt, and whether that burned one.
Ended(token, by, burned) == [token |-> token, by |-> by, burned |-> burned]
Lost(row)                == row.by = "reclaimer" /\ ~row.burned
\* The holder's transitions that burn an attempt; SNOOZE, HAND_BACK and PARK do not.
Burning == {"COMPLETE", "FAIL", "RETRY_LATER", "CANCEL_RUNNING"}
\* The transitions whose answer may get lost: one for each kind of effect, to keep the model small.
Unheard == {"COMPLETE", "RETRY_LATER", "HAND_BACK"}

VARIABLES
  job,      \* the row: state, token, lease (ahead of the wall clock), started, used, cancel
  rows,     \* the attempt rows, in the order in which they were written
  worker,   \* "live" or "paused": a process that stands still and does not know it
  hand,     \* what a worker holds, as far as it knows
  renewed,  \* whether a worker has renewed since the last tick
  sight,    \* what a reclaimer has seen and waits for
  locked,   \* somebody else holds the write lock of the file
  broken,   \* promises that were broken: must stay empty
  troubles

vars == <<job, rows, worker, hand, renewed, sight, locked, broken, troubles>>

Nothing == [phase |-> "none", token |-> 0, sent |-> "", done |-> FALSE, late |-> FALSE]
NoSight == [seen |-> FALSE, same |-> FALSE, counts |-> FALSE, age |-> 0, gone |-> FALSE,
            started |-> FALSE, cancel |-> FALSE]

NoJob   == [state |-> "NEW", token |-> 0, lease |-> 0, started |-> FALSE, used |-> 0, cancel |-> FALSE]

Init ==
  /\ job = [j \in Jobs |-> NoJob]
  /\ rows = [j \in Jobs |-> <<>>]
  /\ worker = [w \in Workers |-> "live"]
  /\ hand = [w \in Workers |-> [j \in Jobs |-> Nothing]]
  /\ renewed = [w \in Workers |-> FALSE]
  /\ sight = [w \in Workers |-> [j \in Jobs |-> NoSight]]
  /\ locked = FALSE
  /\ broken = {}
  /\ troubles = 0

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

Holds(w, j)   == hand[w][j].phase # "none" /\ hand[w][j].token = job[j].token /\ job[j].state = "RUNNING"
HasAny(w)     == \E j \in Jobs : hand[w][j].phase # "none"
Suspect(j)    == job[j].state = "RUNNING" /\ (job[j].lease < 0 \/ job[j].lease > Lease)
LostBefore(j) == Cardinality({i \in DOMAIN rows[j] : Lost(rows[j][i])})
IsLast(j)     == job[j].used + 1 >= MaxAttempts

\* A row that leaves RUNNING has no lease.
Left(row, to, burns) ==
  [row EXCEPT !.state = to, !.lease = 0, !.started = FALSE,
              !.used = @ + (IF burns THEN 1 ELSE 0),
              !.cancel = IF to \in Finals THEN FALSE ELSE @]

\* The lease or the token was written: nobody's sight of the row is true any more. One that was about to be used is
\* kept, to be refused by the store.
Stale(s, j) ==
  [w \in Workers |-> [s[w] EXCEPT ![j] = IF @.gone THEN [@ EXCEPT !.same = FALSE] ELSE NoSight]]

\* Somebody waits for the row and has shown that it could write.
Counts(w, j) == sight[w][j].counts /\ MUTANT # "reclaim without write"

Writable(w) == worker[w] = "live" /\ ~locked

(***************************************************************************)
(* Verbs of those who do not hold a job: guarded by the state.             *)
(***************************************************************************)
Move(j, t) ==
  /\ ~locked
  /\ job[j].state \in t.from
  /\ job' = [job EXCEPT ![j].state = t.to]

Enqueue(j, t) ==
  /\ Move(j, t)
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

Release(j, t) ==
  /\ Move(j, t)
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

Promote(j, t) ==
  /\ Move(j, t)
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

Reschedule(j, t) ==
  /\ Move(j, t)
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

Change(j, t) ==
  /\ ~locked
  /\ job[j].state \in t.from
  /\ CASE t.name \in {"COMPLETE_EXTERNALLY", "FAIL_EXTERNALLY"} ->
            /\ job[j].token < MaxToken
            /\ job' = [job EXCEPT ![j] = [Left(@, t.to, FALSE) EXCEPT !.token = @ + 1]]
            /\ rows' = IF job[j].state = "RUNNING"
                         THEN [rows EXCEPT ![j] =
                                Append(@, Ended(job[j].token, "outside", FALSE))]
                         ELSE rows
            /\ sight' = Stale(sight, j)
       [] t.name \in {"RETRY", "RETRY_BLOCKED"} ->
            /\ job' = [job EXCEPT ![j] = [@ EXCEPT !.state = t.to, !.used = 0, !.cancel = FALSE]]
            /\ UNCHANGED <<rows, sight>>
       [] t.name \in {"DELETE", "EXPIRE"} ->
            /\ job' = [job EXCEPT ![j] = [NoJob EXCEPT !.state = t.to]]
            /\ rows' = [rows EXCEPT ![j] = <<>>]
            /\ UNCHANGED sight
       [] OTHER ->
            /\ job' = [job EXCEPT ![j].state = t.to]
            /\ UNCHANGED <<rows, sight>>
  /\ UNCHANGED <<worker, hand, renewed, locked, broken, troubles>>

\* Marks a running job; its holder, or whoever takes it back, cancels it.
RequestCancel(j) ==
  /\ "CANCEL_RUNNING" \in Taken
  /\ ~locked
  /\ job[j].state = "RUNNING"
  /\ ~job[j].cancel
  /\ job' = [job EXCEPT ![j].cancel = TRUE]
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

(***************************************************************************)
(* Verbs of workers.                                                       *)
(***************************************************************************)
\* heard: the answer reached the worker. If not, the row is RUNNING and nobody runs it.
Claim(w, j, heard) ==
  /\ Writable(w)
  /\ job[j].state = "PENDING"
  /\ job[j].token < MaxToken
  /\ hand[w][j].phase = "none"
  /\ job' = [job EXCEPT ![j] = [@ EXCEPT !.state = "RUNNING", !.token = @ + 1, !.lease = Lease, !.started = FALSE]]
  /\ hand' = IF heard
               THEN [hand EXCEPT ![w][j] = [Nothing EXCEPT !.phase = "ready", !.token = job[j].token + 1]]
               ELSE hand
  /\ sight' = Stale(sight, j)
  /\ UNCHANGED <<rows, worker, renewed, locked, broken, troubles>>

\* The slot calls the handler. No verb: the store hears of it by the next one.
Begin(w, j) ==
  /\ worker[w] = "live"
  /\ hand[w][j].phase = "ready"
  /\ hand' = [hand EXCEPT ![w][j].phase = "running"]
  /\ UNCHANGED <<job, rows, worker, renewed, sight, locked, broken, troubles>>

Started(w, j) ==
  /\ Writable(w)
  /\ hand[w][j].phase = "running"
  /\ Holds(w, j)
  /\ ~job[j].started
  /\ job' = [job EXCEPT ![j].started = TRUE]
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken, troubles>>

\* What a holder may send.
MaySend(w, j, t) ==
  CASE hand[w][j].phase = "ready"   -> t.name = "HAND_BACK"
    [] hand[w][j].phase = "unknown" -> t.name = hand[w][j].sent
    [] OTHER -> /\ t.name = "RETRY_LATER" => ~IsLast(j)
                /\ t.name = "CANCEL_RUNNING" => job[j].cancel

\* committed: the transaction took place. heard: the worker was told so. If it was not, it sends the same again, and
\* reads the job's history when that is refused.
Settle(w, j, t, committed, heard) ==
  /\ Writable(w)
  /\ hand[w][j].phase # "none"
  /\ heard => committed
  /\ ~heard => t.name \in Unheard
  /\ hand[w][j].phase = "unknown" => committed /\ heard
  /\ MaySend(w, j, t)
  /\ LET mine     == hand[w][j].token
         guard    == job[j].state = "RUNNING" /\ (MUTANT # "settle without token" => job[j].token = mine)
         applied  == committed /\ guard
         burns    == t.name \in Burning
         row      == Ended(mine, "holder", burns)
         inRows   == \E i \in DOMAIN rows[j] : rows[j][i] = row
         believed == applied \/ inRows
     IN
     /\ IF applied
          THEN /\ job' = [job EXCEPT ![j] = Left(@, t.to, burns)]
               /\ rows' = [rows EXCEPT ![j] = Append(@, row)]
               /\ sight' = Stale(sight, j)
          ELSE UNCHANGED <<job, rows, sight>>
     /\ hand' = [hand EXCEPT ![w][j] =
                  IF heard THEN Nothing ELSE [@ EXCEPT !.phase = "unknown", !.sent = t.name, !.done = applied]]
     /\ broken' = broken
          \union (IF applied /\ job[j].token # mine THEN {"a lost holder changed something"} ELSE {})
          \union (IF hand[w][j].phase = "unknown" /\ job[j].state # "GONE"
                   /\ believed # (applied \/ hand[w][j].done)
                    THEN {"a worker was told wrongly"} ELSE {})
  /\ renewed' = [renewed EXCEPT ![w] = @ /\ HasAny(w)']
  /\ UNCHANGED <<worker, locked, troubles>>

\* All that a worker holds, in one transaction. What it has lost it lets go of, unless it waits for an answer about it.
Renew(w) ==
  /\ Writable(w)
  /\ ~renewed[w]
  /\ HasAny(w)
  /\ LET open  == {j \in Jobs : hand[w][j].phase # "none"}
         good  == {j \in open : job[j].state = "RUNNING"
                                /\ (MUTANT # "renew without token" => job[j].token = hand[w][j].token)}
     IN
     /\ job' = [j \in Jobs |-> IF j \in good THEN [job[j] EXCEPT !.lease = Lease] ELSE job[j]]
     /\ hand' = [hand EXCEPT ![w] = [j \in Jobs |->
                  IF j \in good THEN [hand[w][j] EXCEPT !.late = FALSE]
                  ELSE IF j \in open /\ hand[w][j].phase # "unknown" THEN Nothing
                  ELSE hand[w][j]]]
     /\ sight' = [v \in Workers |-> [j \in Jobs |-> IF j \in good THEN Stale(sight, j)[v][j] ELSE sight[v][j]]]
     /\ broken' = broken
          \union (IF \E j \in good : job[j].token # hand[w][j].token THEN {"a lost holder changed something"} ELSE {})
  /\ renewed' = [renewed EXCEPT ![w] = HasAny(w)']
  /\ UNCHANGED <<rows, worker, locked, troubles>>

(***************************************************************************)
(* Taking back. A round of the reclaimer is Suspects, Reclaim, Touch.      *)
(***************************************************************************)
Suspects(w) ==
  /\ w \in Reclaimers
  /\ worker[w] = "live"
  /\ \A j \in Jobs : ~sight[w][j].gone
  /\ LET look(j) ==
           LET old   == sight[w][j]
               known == old.seen /\ old.same
               past  == IF MUTANT = "reclaim by wall clock" THEN job[j].lease < 0 ELSE known /\ old.age >= Patience
               gone  == past /\ ~Holds(w, j)
               base  == IF known THEN old
                        ELSE [NoSight EXCEPT !.seen = TRUE, !.same = TRUE,
                                             !.counts = MUTANT = "reclaim without write"]
           IN IF ~Suspect(j) THEN NoSight
              ELSE IF gone THEN [base EXCEPT !.gone = TRUE, !.started = job[j].started, !.cancel = job[j].cancel]
              ELSE base
     IN sight' = [sight EXCEPT ![w] = [j \in Jobs |-> look(j)]]
  /\ sight' # sight
  /\ UNCHANGED <<job, rows, worker, hand, renewed, locked, broken, troubles>>

\* Patience counts from here: a write of this process was committed after the lease was seen.
Touch(w) ==
  /\ Writable(w)
  /\ \E j \in Jobs : sight[w][j].seen /\ ~sight[w][j].counts
  /\ sight' = [sight EXCEPT ![w] = [j \in Jobs |->
                IF sight[w][j].seen THEN [sight[w][j] EXCEPT !.counts = TRUE] ELSE NoSight]]
  /\ UNCHANGED <<job, rows, worker, hand, renewed, locked, broken, troubles>>

Reclaim(w, j) ==
  /\ Writable(w)
  /\ sight[w][j].gone
  /\ LET seen    == sight[w][j]
         guard   == /\ job[j].state = "RUNNING" /\ seen.same
                    /\ MUTANT # "reclaim as first seen" =>
                         job[j].started = seen.started /\ job[j].cancel = seen.cancel
         to      == IF seen.cancel THEN "CANCELLED"
                    ELSE IF ~seen.started /\ LostBefore(j) < MaxLost THEN "SCHEDULED"
                    ELSE IF IsLast(j) THEN "FAILED" ELSE "SCHEDULED"
         lost    == ~seen.started /\ (seen.cancel \/ LostBefore(j) < MaxLost)
     IN IF guard
          THEN /\ job' = [job EXCEPT ![j] = Left(@, to, ~lost)]
               /\ rows' = [rows EXCEPT ![j] = Append(@, Ended(job[j].token, "reclaimer", ~lost))]
               /\ sight' = [Stale(sight, j) EXCEPT ![w][j] = NoSight]
               /\ broken' = broken
                    \union (IF \E v \in Workers : worker[v] = "live" /\ Holds(v, j) /\ ~hand[v][j].late
                              THEN {"a live worker lost its job"} ELSE {})
                    \union (IF lost /\ job[j].started THEN {"a start was forgotten"} ELSE {})
                    \union (IF to # "CANCELLED" /\ job[j].cancel THEN {"a request to cancel was forgotten"} ELSE {})
          ELSE /\ sight' = [sight EXCEPT ![w][j] = NoSight]
               /\ UNCHANGED <<job, rows, broken>>
  /\ UNCHANGED <<worker, hand, renewed, locked, troubles>>

(***************************************************************************)
(* What happens around.                                                    *)
(***************************************************************************)
Trouble ==
  IF MaxTroubles = Unbounded THEN UNCHANGED troubles
  ELSE troubles < MaxTroubles /\ troubles' = troubles + 1

\* A third of a lease of monotonic time. A live worker has renewed, unless the file was locked. Whoever stood still, or
\* was locked out while somebody already counted, is late from now on, until a renewal of it is applied.
Tick ==
  /\ \A w \in Workers : worker[w] = "live" /\ HasAny(w) => renewed[w] \/ locked
  /\ job' = [j \in Jobs |-> IF job[j].state = "RUNNING"
                              THEN [job[j] EXCEPT !.lease = Max(@ - 1, -1)] ELSE job[j]]
  /\ sight' = [w \in Workers |-> [j \in Jobs |->
                IF sight[w][j].counts /\ sight[w][j].seen
                  THEN [sight[w][j] EXCEPT !.age = Min(@ + 1, Patience)] ELSE sight[w][j]]]
  /\ hand' = [w \in Workers |-> [j \in Jobs |->
               IF hand[w][j].phase # "none" /\ ~renewed[w]
                  /\ (worker[w] = "paused" \/ \E v \in Workers : Counts(v, j))
                 THEN [hand[w][j] EXCEPT !.late = TRUE] ELSE hand[w][j]]]
  /\ renewed' = [w \in Workers |-> FALSE]
  /\ UNCHANGED <<rows, worker, locked, broken, troubles>>

\* The wall clock steps: forward, and every lease is less far ahead; or back.
ClockStep(by) ==
  /\ Trouble
  /\ job' = [j \in Jobs |-> IF job[j].state = "RUNNING"
                              THEN [job[j] EXCEPT !.lease = Min(Max(@ - by, -1), Lease + 1)] ELSE job[j]]
  /\ job' # job
  /\ UNCHANGED <<rows, worker, hand, renewed, sight, locked, broken>>

\* A process dies; one of the same name may begin at once.
Crash(w) ==
  /\ Trouble
  /\ HasAny(w) \/ \E j \in Jobs : sight[w][j].seen
  /\ worker' = [worker EXCEPT ![w] = "live"]
  /\ hand' = [hand EXCEPT ![w] = [j \in Jobs |-> Nothing]]
  /\ sight' = [sight EXCEPT ![w] = [j \in Jobs |-> NoSight]]
  /\ renewed' = [renewed EXCEPT ![w] = FALSE]
  /\ UNCHANGED <<job, rows, locked, broken>>

\* A process that holds something stands still: garbage collection, a suspended machine, a swapping host.
Pause(w) ==
  /\ Trouble
  /\ worker[w] = "live"
  /\ HasAny(w)
  /\ worker' = [worker EXCEPT ![w] = "paused"]
  /\ UNCHANGED <<job, rows, hand, renewed, sight, locked, broken>>

\* It goes on where it stood, with all that it believes to hold.
Wake(w) ==
  /\ worker[w] = "paused"
  /\ worker' = [worker EXCEPT ![w] = "live"]
  /\ UNCHANGED <<job, rows, hand, renewed, sight, locked, broken, troubles>>

\* Somebody holds the write lock, for however long.
Lock ==
  /\ MayLock
  /\ Trouble
  /\ ~locked
  /\ locked' = TRUE
  /\ UNCHANGED <<job, rows, worker, hand, renewed, sight, broken>>

Unlock ==
  /\ locked
  /\ locked' = FALSE
  /\ UNCHANGED <<job, rows, worker, hand, renewed, sight, broken, troubles>>

Next ==
  \/ \E j \in Jobs : \/ \E t \in Enqueueing   : Enqueue(j, t)
                     \/ \E t \in Releasing    : Release(j, t)
                     \/ \E t \in Promoting    : Promote(j, t)
                     \/ \E t \in Rescheduling : Reschedule(j, t)
                     \/ \E t \in Changing     : Change(j, t)
  \/ \E j \in Jobs : RequestCancel(j)
  \/ \E w \in Workers, j \in Jobs, heard \in BOOLEAN : Claim(w, j, heard)
  \/ \E w \in Workers, j \in Jobs : Begin(w, j) \/ Started(w, j) \/ Reclaim(w, j)
  \/ \E w \in Workers, j \in Jobs, t \in Settling, committed, heard \in BOOLEAN : Settle(w, j, t, committed, heard)
  \/ \E w \in Workers : Renew(w) \/ Suspects(w) \/ Touch(w) \/ Crash(w) \/ Pause(w) \/ Wake(w)
  \/ \E by \in ClockSteps : ClockStep(by)
  \/ Tick \/ Lock \/ Unlock

Spec == Init /\ [][Next]_vars

Symmetric == Permutations(Workers) \union Permutations(Jobs)

(***************************************************************************)
(* What must hold.                                                         *)
(***************************************************************************)
Types ==
  /\ \A j \in Jobs :
       /\ job[j].state \in States /\ job[j].token \in 0..MaxToken /\ job[j].lease \in -1..(Lease + 1)
       /\ job[j].started \in BOOLEAN /\ job[j].cancel \in BOOLEAN
  /\ \A w \in Workers, j \in Jobs :
       /\ hand[w][j].phase \in {"none", "ready", "running", "unknown"}
       /\ sight[w][j].age \in 0..Patience

\* `used` never exceeds the maximum of attempts.
UsedStaysWithinTheBudget == \A j \in Jobs : job[j].used <= MaxAttempts

\* Two workers never hold one job.
TwoWorkersNeverHoldOneJob ==
  \A j \in Jobs : \A v, w \in Workers : Holds(v, j) /\ Holds(w, j) => v = w

\* A holder that lost its job changes nothing.
ALostHolderChangesNothing == "a lost holder changed something" \notin broken

\* A live worker that renews in time never loses its job, whatever the clock does.
ALiveWorkerKeepsItsJob == "a live worker lost its job" \notin broken

\* A worker that did not hear the answer finds out whether its settlement was applied.
AWorkerIsToldTheTruth == "a worker was told wrongly" \notin broken

\* What the store knows of a job when it is taken back counts: its start, and a request to cancel it.
NothingKnownIsForgotten ==
  broken \intersect {"a start was forgotten", "a request to cancel was forgotten"} = {}

\* At most one settlement is applied for each token of a job.
AtMostOneSettlementForEachToken ==
  \A j \in Jobs : \A i, k \in DOMAIN rows[j] : rows[j][i].token = rows[j][k].token => i = k

\* A job changes state only along a transition.
StateChangesAlongTransitions ==
  [][\A j \in Jobs : job[j].state # job'[j].state => <<job[j].state, job'[j].state>> \in Edges]_vars

\* The token grows by one at each claim and at each end from outside, and never otherwise.
TheTokenGrows ==
  [][\A j \in Jobs : job'[j].state # "GONE" =>
       LET claims  == job[j].state # "RUNNING" /\ job'[j].state = "RUNNING"
           outside == job[j].token # job'[j].token /\ ~claims
       IN /\ job'[j].token = job[j].token + (IF claims \/ outside THEN 1 ELSE 0)
          /\ outside => job'[j].state \in {"COMPLETED", "FAILED"}]_vars

\* What has ended stays as it is: until an operator or retention deletes it; if it is not COMPLETED, until an operator retries it.
WhatHasEndedStays ==
  [][\A j \in Jobs : job[j].state \in Finals =>
       \/ job'[j] = job[j] /\ rows'[j] = rows[j]
       \/ job'[j].state = "GONE"
       \/ /\ job[j].state # "COMPLETED"
          /\ job'[j].state \in {"PENDING", "BLOCKED"} /\ job'[j].used = 0 /\ rows'[j] = rows[j]]_vars

\* Each ended attempt has exactly one row, of its own token, written when it ends; nothing else writes or changes one.
EachEndedAttemptHasOneRow ==
  [][\A j \in Jobs : job'[j].state # "GONE" =>
       LET ends == job[j].state = "RUNNING" /\ (job'[j].state # "RUNNING" \/ job'[j].token # job[j].token)
       IN IF ends
            THEN /\ Len(rows'[j]) = Len(rows[j]) + 1
                 /\ SubSeq(rows'[j], 1, Len(rows[j])) = rows[j]
                 /\ rows'[j][Len(rows[j]) + 1].token = job[j].token
            ELSE rows'[j] = rows[j]]_vars

\* `used` grows by one with each attempt that burned one, is 0 after an operator's retry, and changes in no other way.
UsedCountsBurnedAttempts ==
  [][\A j \in Jobs : job'[j].state # "GONE" =>
       LET burned(r) == Cardinality({i \in DOMAIN r[j] : r[j][i].burned})
       IN job'[j].used = IF job[j].state \in Finals /\ job'[j].state \notin Finals
                           THEN 0 ELSE job[j].used + burned(rows') - burned(rows)]_vars

\* A crash before the start burns nothing, and sends a job back only so often; after that it is a crash like another.
LostOnlySoOften ==
  [][\A j \in Jobs :
       Len(rows'[j]) > Len(rows[j]) /\ Lost(rows'[j][Len(rows'[j])]) /\ job'[j].state = "SCHEDULED"
         => LostBefore(j) < MaxLost]_vars

(***************************************************************************)
(* A job is never stranded: one that is RUNNING and in nobody's hands is   *)
(* taken back, if troubles end, time goes on, locks are given back and     *)
(* reclaimers do their rounds.                                             *)
(***************************************************************************)
Fair ==
  /\ WF_vars(Tick) /\ WF_vars(Unlock)
  /\ \A w \in Workers :
       /\ WF_vars(Wake(w)) /\ WF_vars(Renew(w)) /\ WF_vars(Suspects(w)) /\ WF_vars(Touch(w))
       /\ \A j \in Jobs : WF_vars(Reclaim(w, j))

FairSpec == Spec /\ Fair

InNobodysHands(j) == job[j].state = "RUNNING" /\ \A w \in Workers : ~Holds(w, j)

NoJobIsStranded == \A j \in Jobs : InNobodysHands(j) ~> ~InNobodysHands(j)
==============================================================================
