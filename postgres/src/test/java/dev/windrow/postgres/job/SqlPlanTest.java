package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.limit.LimitSql;
import dev.windrow.postgres.limit.PermitSql;
import dev.windrow.postgres.monitor.CheckSql;
import dev.windrow.postgres.monitor.CounterSql;
import dev.windrow.postgres.monitor.Plans;
import dev.windrow.postgres.monitor.StatisticsSql;
import dev.windrow.postgres.payload.BlobSql;
import dev.windrow.postgres.payload.MetadataSql;
import dev.windrow.postgres.processes.RegistrySql;
import dev.windrow.postgres.query.ListSql;
import dev.windrow.postgres.query.ReadSql;
import dev.windrow.postgres.schedule.ScheduleSql;
import dev.windrow.postgres.schema.SchemaSql;
import dev.windrow.postgres.step.StepSql;
import dev.windrow.postgres.workflow.WorkflowSql;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every statement of the store finds its rows as its comment says. */
public class SqlPlanTest {
    /** The access of each statement: the index and columns that it searches, or a scan. Tables that do not grow with the jobs are left out. */
    private static final Map<String, Set<String>> WORK = new TreeMap<>();

    private static final Map<String, Set<String>> READ = new TreeMap<>();
    private static final Map<String, List<String>> VALUES = new TreeMap<>();
    /** The reason why a statement of a diagnosis scans tables, or its other kind. */
    private static final Map<String, String> CHECK = new TreeMap<>();

    private static final String NEWEST = "9223372036854775807";
    private static final String OLDEST = "0";
    private static final String PAGE = IntStream.rangeClosed(30_001, 30_051)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(",", "'{", "}'"));

    /**
     * The tables, and their indexes, that have few rows: about one for each queue, type, worker and schedule. Also the deltas since the last
     * compaction, and parents whose children are being released.
     */
    private static final Pattern SMALL = Pattern.compile(
            "(all of )?windrow_(lanes|limits|counters|retry_counters|counter_deltas|failures|failure_deltas|workers|schema|releases|schedules)(_(pkey|queue_type_key|limited|wake|name_key|next|fired))?( .*)?");

    /** The table that has one row for each worker that ever existed. It is searched by name or number, or scanned while it is small. */
    private static final Pattern ACTORS = Pattern.compile("(all of )?windrow_actors(_pkey|_name_instance_key)?( .*)?");

    private static final String LANES = "'{1,2,3,4}'";

    static {
        work("ADD_ACTORS");
        work("ADD_LANES");
        work("ADD_SUMS");
        work("ADD_FAILURES");
        work("COMPACT_FAILURES");
        work("FORGET_FAILURES");
        work("ANNOUNCE");
        work("ADOPT_BLOB", "windrow_blobs_pkey (id)");
        work("STAGE");
        work("STAGE_WHOLE", "windrow_blobs_pkey (id)");
        work("COUNT_STAGED", "windrow_blobs_pkey (id)");
        work("STAGE_PART", "windrow_blobs_pkey (id)");
        work("LEAVE_LONG_BLOBS", "windrow_blobs_job (job_id)");
        work("DROP_BLOB", "windrow_blobs_pkey (id)");
        work("DROP_CHUNKS", "windrow_blob_chunks_pkey (blob_id)", "windrow_blob_chunks_pkey (blob_id, \"position\")");
        work("SWEEP_STAGED", "windrow_blobs_staged (created_at)");
        work("UNSTAGE", "windrow_blobs_pkey (id)");
        work("LOCK_SCHEDULE", "windrow_actors_pkey (id)");
        work("INSERT_SCHEDULE");
        work("UPDATE_SCHEDULE");
        work("PAUSE_SCHEDULE");
        work("RESUME_SCHEDULE");
        work("REMOVE_SCHEDULE", "windrow_schedule_runs_pkey (schedule_id)");
        work("RAN_SCHEDULE");
        work("LOCK_SCHEDULES_AS_READ");
        work("CHANGED_SCHEDULES");
        work(
                "OPEN_CHAINS",
                "windrow_inputs_pkey (job_id)",
                "windrow_inputs_chain (chain_id, chain_index)",
                "windrow_jobs_pkey (id)");
        work("MADE_RUNS", "windrow_schedule_runs_pkey (schedule_id, due_at)");
        work("INSERT_RUNS");
        work(
                "PRUNE_RUNS",
                "windrow_schedule_runs_pkey (schedule_id, due_at)",
                "windrow_schedule_runs_pkey (schedule_id)");
        work("DROP_MISSED_RUNS", "windrow_schedule_runs_pkey (schedule_id, due_at)");
        work("CUT_MISSED_RUNS", "windrow_schedule_runs_pkey (schedule_id, due_at)");
        work("COUNT_RUNS", "windrow_schedule_runs_pkey (schedule_id)");
        work("BEGIN_MANAGED");
        work("STILL_GOOD");
        work("BEGIN_WORK");
        work("BOUND_WAITS");
        work("KEEP_WAITS", "windrow_jobs_pkey (id)");
        work("BEGIN_WAITS", "windrow_jobs_pkey (id)");
        work("DUE_WAITS", "windrow_jobs_wake (wake_at)");
        work("NEXT_WAIT", "all of windrow_jobs_wake");
        work("CANCEL", "windrow_jobs_pkey (id)");
        work("CANDIDATES", "windrow_jobs_claim (lane, -priority, scheduled_at, id, -priority)");
        work("CLAIM_THESE", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("COUNT_RUNNING", "windrow_jobs_running (lane, claimed_at)");
        work("SET_RUNNING_SINCE");
        work("LOCK_READY", "windrow_jobs_pkey (id)");
        work("FIND_LIMITS");
        work("LIMIT_FORGET");
        work("INSERT_AUDIT");
        work("INSERT_AUDIT_JOBS");
        work("INSERT_REVEALED_JOBS", "windrow_jobs_pkey (id)");
        work("LIMIT_RUNNING");
        work("LIMIT_RATE");
        work("LOCK_LIMIT_CHANGES");
        work("LOCK_CYCLES");
        work("LOCK_LIMITS");
        work("LIMIT_LANES");
        work("LIMIT_PAUSE");
        work("LIMIT_RESUME");
        work("SET_NEXT_START");
        work("CANCEL_REQUESTS", "all of windrow_jobs_running");
        work(
                "CLAIM",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_claim (lane, -priority, scheduled_at, id, -priority)",
                "windrow_jobs_pkey (id)");
        // The rows are found again by their location.
        work(
                "CLAIM_OF_SEVERAL",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_claim (lane)",
                "windrow_jobs_claim (lane, -priority, scheduled_at, id, lane)",
                "windrow_jobs_claim (lane, -priority, scheduled_at, id, -priority)");
        work("CLAIMED_INPUTS", "windrow_inputs_pkey (job_id)");
        work("CHANGE_PERMIT", "windrow_jobs_pkey (id)", "windrow_permits_pkey (job_id)");
        work("KEEP_CONCURRENCY_KEY", "windrow_jobs_pkey (id)");
        work("JOIN_KEY", "windrow_jobs_pkey (id)");
        work("LEAVE", "windrow_permits_pkey (job_id)");
        work("READY_PERMITS", "windrow_jobs_pkey (id)");
        work("TRY_KEYS");
        work("READ_KEYS", "windrow_permits_waiting (key)", "windrow_permits_granted (key)");
        work(
                "GIVE_PERMITS",
                "windrow_permits_waiting (key)",
                "windrow_jobs_pkey (id)",
                "windrow_permits_pkey (job_id)");
        work("PERMITTED_READY", "windrow_permits_granted (key)", "windrow_jobs_pkey (id)");
        work("COUNT_PERMITTED_READY", "windrow_permits_granted (key)", "windrow_jobs_pkey (id)");
        work("TAKE_PERMITS", "windrow_jobs_pkey (id)", "windrow_permits_pkey (job_id)");
        work("FIRST_WAITING", "windrow_permits_waiting (key)", "windrow_jobs_pkey (id)");
        work("WAKE_KEY");
        work("DUE_KEYS");
        work("COMMIT");
        work("CONNECTED");
        work("TIMELINE");
        work("DISCARD_PLANS");
        work("DELETE_TAGS", "windrow_tags_pkey (job_id)");
        work("INSERT_METADATA");
        work("READ_METADATA", "windrow_metadata_pkey (job_id)");
        work("WRITE_METADATA");
        work("DELETE_METADATA_EVENT", "windrow_events_pkey (job_id)");
        work("LAST_EVENTS", "windrow_events_pkey (job_id)");
        work("DELETE_METADATA", "windrow_metadata_pkey (job_id)");
        work("NEEDING_CHILD", "windrow_edges_parent (parent)", "windrow_jobs_pkey (id)");
        work("REDACT_METADATA", "windrow_audit_jobs_job (job_id)", "windrow_audit_pkey (id)");
        work("CHAIN_MEMBERS", "windrow_inputs_chain (chain_id, chain_index)", "windrow_inputs_pkey (job_id)");
        work(
                "DELETE",
                "windrow_dedupe_pkey (type, key)",
                "windrow_attempt_texts_pkey (job_id)",
                "windrow_blob_chunks_pkey (blob_id)",
                "windrow_blobs_job (job_id)",
                "windrow_attempts_pkey (job_id)",
                "windrow_edges_parent (parent)",
                "windrow_edges_pkey (child)",
                "windrow_events_pkey (job_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_log_lines_pkey (job_id)",
                "windrow_progress_pkey (job_id)",
                "windrow_results_pkey (job_id)",
                "windrow_steps_pkey (job_id)",
                "windrow_tags_pkey (job_id)",
                "windrow_metadata_pkey (job_id)",
                "windrow_permits_pkey (job_id)");
        work("FIND_ACTORS", "windrow_actors_name_instance_key (name, instance)");
        work("FINISH_EXTERNALLY", "windrow_jobs_pkey (id)");
        work("COMPACT_COUNTERS");
        work(
                "FORGET_PARENTS",
                "windrow_edges_parent (parent)",
                "windrow_edges_pkey (child, \"position\")",
                "windrow_jobs_pkey (id)");
        work("FREE", "windrow_jobs_pkey (id)");
        work("HELD", "windrow_jobs_pkey (id)");
        work("LOCK_STORE");
        work("LIMITED_LANES");
        work("INSERT_ATTEMPT_TEXTS");
        work("INSERT_AUDIT");
        work("INSERT_EDGES");
        work("INSERT_JOBS", "windrow_inputs_pkey (job_id)");
        work("WAITS_FOR_ITSELF", "windrow_edges_pkey (child)");
        work("LAST_OF_CHAINS", "windrow_inputs_chain (chain_id, chain_index)", "windrow_inputs_pkey (job_id)");
        work("MOVE_CHAIN_EDGES", "windrow_edges_parent (parent)");
        work("INSERT_PLAIN_JOBS");
        work("INSERT_LOG_LINES");
        work("INSERT_RESULTS");
        work("BEGIN_ONE");
        work("ENQUEUE_ONE");
        work("RAISE_IDS");
        work("IS_ENQUEUED", "windrow_inputs_pkey (job_id)");
        work("INSERT_TAGS");
        work("KEYS_ENDED", "windrow_dedupe_pkey (type, key)");
        work("MOVE_KEYS", "windrow_dedupe_pkey (type, key)");
        work("KEYS_GONE", "windrow_dedupe_pkey (type, key)");
        work("KEYS_STARTED", "windrow_dedupe_pkey (type, key)");
        work(
                "KEY_HOLDERS",
                "windrow_dedupe_pkey (type, key)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)");
        work("LAST_LOG_LINE", "windrow_log_lines_pkey (job_id)");
        work("LOCK_HOLDER", "windrow_jobs_pkey (id)");
        work("LOOKS_SUSPECT", "windrow_jobs_pkey (id)");
        work("MARK_STARTED", "windrow_jobs_pkey (id)");
        work("MIN_COMPATIBLE");
        work("NEXT_DUE", "windrow_jobs_due (scheduled_at)");
        work("NOTIFY");
        work("NOW");
        work(
                "WAITING_LANES",
                "windrow_jobs_claim (lane, -priority, scheduled_at, id, lane)",
                "windrow_jobs_claim (lane)");
        work("PARENT_STATES", "windrow_jobs_pkey (id)");
        work("PROMOTE", "windrow_jobs_due (scheduled_at)", "windrow_jobs_pkey (id)");
        work("READY_LANES");
        work("READ_FOR_CHANGE", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("READ_FREE_FOR_CHANGE", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("READ_LANES");
        work("RECORD");
        work("RELEASE", "windrow_jobs_pkey (id)");
        work("RENEW", "windrow_jobs_pkey (id)");
        work("LAST_READY", "windrow_jobs_claim (lane, -priority)");
        work("REPLACE", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work(
                "REPLACE_INPUT",
                "windrow_blob_chunks_pkey (blob_id)",
                "windrow_blobs_job (job_id)",
                "windrow_inputs_pkey (job_id)");
        work("REQUEST_CANCEL", "windrow_jobs_pkey (id)");
        work("RETRY", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work(
                "SATISFY_EDGES",
                "windrow_edges_parent (parent, parent, child)",
                "windrow_edges_pkey (child, \"position\")",
                "windrow_jobs_pkey (id)");
        work("CANCEL_CHILDREN", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("MARK_EDGES", "windrow_edges_pkey (child)", "windrow_edges_pkey (child, \"position\")");
        work("UNMARK_EDGES", "windrow_edges_pkey (child)");
        work("LEAVE_CHILDREN", "windrow_edges_parent (parent, parent, child)");
        work("LEAVE_DEPENDENTS", "windrow_edges_parent (parent)");
        work("MOVE_CHAIN_RETRIES");
        work("NEXT_CANCELLED_CHILDREN", "windrow_edges_parent (parent, parent, child)");
        work("IS_RETRY_VOID", "windrow_jobs_pkey (id)");
        work("TAKE_RELEASES", "windrow_actors_pkey (id)");
        work("TAKE_ALL_RELEASES", "windrow_actors_pkey (id)");
        work("MOVE_RELEASE");
        work("END_RELEASE");
        work("CANCELLED_CHILDREN", "windrow_edges_parent (parent, parent, child)");
        work("FORBIDDING_PARENTS", "windrow_edges_pkey (child)", "windrow_jobs_pkey (id)");
        work("SETTLE_BLOCKED", "windrow_jobs_pkey (id)");
        work("SETTLE_CANCELLED", "windrow_jobs_pkey (id)");
        work("SETTLE_COMPLETED", "windrow_jobs_pkey (id)");
        work("SETTLE_WITH_RESULTS", "windrow_jobs_pkey (id)");
        work("HAVE_CHILDREN", "windrow_edges_parent (parent)");
        work("SETTLE_FAILED", "windrow_jobs_pkey (id)");
        work("SETTLE_PENDING", "windrow_jobs_pkey (id)");
        work("SETTLE_SCHEDULED", "windrow_jobs_pkey (id)");
        work(
                "STATUS_OF_TRANSACTION",
                "windrow_audit_at (at, id)",
                "windrow_events_pkey (job_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_log_lines_pkey (job_id)",
                "windrow_progress_pkey (job_id)",
                "windrow_steps_pkey (job_id)");
        work("STILL_HELD", "windrow_jobs_pkey (id)");
        work("STILL_SUSPECT", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("STORE");
        work("SUBTRACT_PARENTS", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        work("TAKE_IDS");
        work("TAKE_KEYS");
        work("TAKE_OVER_KEYS", "windrow_dedupe_pkey (type, key)");
        work("TOUCH", "windrow_jobs_pkey (id)");
        work("TRIGGER", "windrow_jobs_pkey (id)");
        work(
                "TRIM_HISTORY",
                "windrow_attempt_texts_pkey (job_id, token)",
                "windrow_attempts_pkey (job_id, token)",
                "windrow_events_pkey (job_id)");
        work("TRIM_LOG", "windrow_log_lines_pkey (job_id, seq)");
        work("TRY_CYCLES");
        work("TRY_COMPACTION");
        work("WAITING_CHILDREN", "windrow_edges_parent (parent, parent, child)");
        work("WAIT_A_MOMENT");
        work("WITHDRAW");
        work("WITHDRAW_EXPIRED");
        work("WITHDRAW_PROCESS");
        work("WRITE_PROGRESS");
        work("INSERT_STEP", "windrow_steps_position (job_id + 0)");
        work("READ_STEP", "windrow_actors_pkey (id)", "windrow_steps_pkey (job_id, name)");
        work("END_STEP", "windrow_steps_pkey (job_id, name)");
        work("ARRIVE", "windrow_steps_pkey (job_id, name)");
        work("TIME_OUT_EVENTS", "windrow_steps_pkey (job_id)");
        work("FORGET_STEPS", "windrow_steps_pkey (job_id)");
        work("READ_FOR_SIGNAL", "windrow_jobs_pkey (id)");
        work("READ_FREE_FOR_SIGNAL", "windrow_jobs_pkey (id)");
        work("AWAIT", "windrow_jobs_pkey (id)", "windrow_steps_pkey (job_id, name)");
        work("WAKE", "windrow_jobs_pkey (id)");

        read("COUNTERS", List.of());
        read("COUNTED_LANES", List.of());
        read(
                "FAILURES",
                List.of("'{TEST:FAILED}'"),
                "windrow_jobs_failed (error_code)",
                "windrow_jobs_failed (error_code IS NULL)");
        read("FAILURE_TREND", List.of("0", "10000"), "windrow_jobs_failed_at (finished_at)");
        read("SUGGEST_TYPES", List.of("'t'", "20"));
        read("SUGGEST_QUEUES", List.of("'q'", "20"));
        read("SUGGEST_TAGS", List.of("'tag1'", "20"), "windrow_tags_tag (tag)");
        read("SUGGEST_CODES", List.of("'TEST:'", "20"));
        read("SUGGEST_WORKERS", List.of("'actor'", "20"));
        read("SUGGEST_SCHEDULES", List.of("'s'", "20"));
        read("THROUGHPUT", List.of("1", "4990", "5000", "NULL", "NULL"), "windrow_throughput_pkey (length, minute)");
        read(
                "HELD_BY",
                List.of("'p3'", "1000"),
                "all of windrow_jobs_running",
                "windrow_attempts_pkey (job_id)",
                "windrow_inputs_pkey (job_id)");
        read(
                "LANE_LAGS",
                List.of("'{1,2,3,4,5,6,7,8}'"),
                "windrow_jobs_claim (lane)",
                "windrow_jobs_claim (lane, -priority)");
        read("LIST_ALL", List.of(NEWEST, "51"), "windrow_jobs_pkey (id)");
        read("LIST_BLOCKED", List.of(NEWEST, "51"), "windrow_jobs_blocked (id)");
        read("LIST_CANCELLED", List.of(NEWEST, "51"), "windrow_jobs_cancelled (id)");
        read("LIST_FAILED", List.of(NEWEST, "51"), "windrow_jobs_failed_id (id)");
        read("LIST_FAILED_CODE", List.of(NEWEST, "51", "'TEST:3'"), "windrow_jobs_failed (error_code, error_code, id)");
        read("FAILED_CODES", List.of("'TEST:'", "1001"), "windrow_jobs_failed (error_code)");
        read(
                "LIST_FAILED_CODES",
                List.of(NEWEST, "51", "'{TEST:1,TEST:3}'"),
                "windrow_jobs_failed (error_code, error_code, id)");
        read(
                "LIST_FAILED_CODES_UP",
                List.of(OLDEST, "51", "'{TEST:1,TEST:3}'"),
                "windrow_jobs_failed (error_code, error_code, id)");
        read("LANES", List.of("'q1'", "NULL", "10001"));
        read("LIST_LANES", List.of(NEWEST, "51", "20000", LANES), "windrow_inputs_lane (lane, job_id)");
        read("LIST_PENDING", List.of(NEWEST, "51"), "all of windrow_jobs_claim", "all of windrow_permits_waiting");
        read(
                "WAITING_KEYS",
                List.of("''", "1000", "1800000000000"),
                "windrow_permits_waiting (key)",
                "windrow_permits_granted (key)");
        read(
                "LIST_KEYS",
                List.of("20", "1000", "100", "1000"),
                "windrow_permits_waiting (key)",
                "windrow_permits_granted (key)");
        read(
                "PERMIT_HOLDERS",
                List.of("'{key1,key2}'", "5"),
                "windrow_permits_granted (key)",
                "windrow_jobs_pkey (id)");
        read("UNFINISHED_KEYS", List.of(), "windrow_jobs_pkey (id)", "windrow_permits_granted (key)");
        read("LIST_RUNNING", List.of(NEWEST, "51"), "all of windrow_jobs_running");
        read("LIST_SCHEDULED", List.of(NEWEST, "51"), "all of windrow_jobs_due");
        read("LIST_TAG", List.of(NEWEST, "51", "'tag4'"), "windrow_tags_tag (tag, tag, job_id)");
        read(
                "LIST_DEDUPE_KEY",
                List.of(NEWEST, "51", "'k70'"),
                "windrow_inputs_dedupe (dedupe_key, dedupe_key, job_id)");
        read(
                "LIST_DEDUPE_KEY_UP",
                List.of(OLDEST, "51", "'k70'"),
                "windrow_inputs_dedupe (dedupe_key, dedupe_key, job_id)");
        read("FIND_KEYED", List.of("'k70'", "'{t1}'"), "windrow_inputs_dedupe (dedupe_key)");
        read(
                "LIST_WORKFLOW",
                List.of(NEWEST, "51", "'7'"),
                "windrow_inputs_workflow (workflow_id, workflow_id, job_id)");
        read("WORKFLOW_STATES", List.of("7"), "windrow_inputs_workflow (workflow_id)", "windrow_jobs_pkey (id)");
        read("BATCH", List.of("12345"), "windrow_edges_pkey (child)", "windrow_jobs_pkey (id)");
        read("LIVE_WORKERS", List.of("1800000000000"));
        read(
                "EXPLAIN",
                List.of("12345"),
                "windrow_jobs_pkey (id)",
                "windrow_events_pkey (job_id)",
                "windrow_attempts_pkey (job_id)",
                "windrow_steps_position (job_id + 0)");
        read("EXPLAIN_PARENTS", List.of("12345", "20"), "windrow_edges_pkey (child)", "windrow_jobs_pkey (id)");
        read("EXPLAIN_LIMITS", List.of("'q1'", "'t1'", "'k'"));
        read("EXPLAIN_RUNNING", List.of("'q1'", "NULL"), "windrow_jobs_running (lane, claimed_at)");
        read("EXPLAIN_HOLDERS", List.of("'k'", "20"), "windrow_permits_granted (key)", "windrow_jobs_pkey (id)");
        read(
                "EXPLAIN_BEFORE",
                List.of("'q1'", "0", "1800000000000", "12345", "10000"),
                "windrow_jobs_claim (lane, -priority, scheduled_at, id)");
        read(
                "MATCH",
                List.of(
                        PAGE,
                        "'{COMPLETED}'",
                        "NULL",
                        "'q1'",
                        "NULL",
                        "'n'",
                        "'actor1'",
                        "NULL",
                        "NULL",
                        "7",
                        "NULL",
                        "12345",
                        "NULL",
                        "'{tag4}'",
                        "1",
                        "NULL",
                        "NULL",
                        "NULL",
                        "NULL",
                        "NULL",
                        "'TEST:'"),
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_edges_pkey (child)",
                "windrow_tags_pkey (job_id)");
        read("LIST_ALL_UP", List.of(OLDEST, "51"), "windrow_jobs_pkey (id)");
        read("LIST_BLOCKED_UP", List.of(OLDEST, "51"), "windrow_jobs_blocked (id)");
        read("LIST_CANCELLED_UP", List.of(OLDEST, "51"), "windrow_jobs_cancelled (id)");
        read("LIST_FAILED_UP", List.of(OLDEST, "51"), "windrow_jobs_failed_id (id)");
        read(
                "LIST_FAILED_CODE_UP",
                List.of(OLDEST, "51", "'TEST:3'"),
                "windrow_jobs_failed (error_code, error_code, id)");
        read("LIST_LANES_UP", List.of(OLDEST, "51", "20000", LANES), "windrow_inputs_lane (lane, job_id)");
        read("LIST_PENDING_UP", List.of(OLDEST, "51"), "all of windrow_jobs_claim", "all of windrow_permits_waiting");
        read("LIST_RUNNING_UP", List.of(OLDEST, "51"), "all of windrow_jobs_running");
        read("LIST_SCHEDULED_UP", List.of(OLDEST, "51"), "all of windrow_jobs_due");
        read("LIST_TAG_UP", List.of(OLDEST, "51", "'tag4'"), "windrow_tags_tag (tag, tag, job_id)");
        read(
                "LIST_WORKFLOW_UP",
                List.of(OLDEST, "51", "'7'"),
                "windrow_inputs_workflow (workflow_id, workflow_id, job_id)");
        read("LIST_PARENT", List.of(NEWEST, "51", "'12342'"), "windrow_edges_parent (parent, parent, child)");
        read("LIST_PARENT_UP", List.of(OLDEST, "51", "'12342'"), "windrow_edges_parent (parent, parent, child)");
        read(
                "LIST_CHAIN",
                List.of(NEWEST, "51", "'12345'"),
                "windrow_inputs_chain (chain_id, chain_index)",
                "windrow_jobs_pkey (id)");
        read(
                "LIST_CHAIN_UP",
                List.of(OLDEST, "51", "'12345'"),
                "windrow_inputs_chain (chain_id, chain_index)",
                "windrow_jobs_pkey (id)");
        read(
                "CHAIN",
                List.of("12345"),
                "windrow_inputs_chain (chain_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)");
        read(
                "LIST_CHAINS",
                List.of(NEWEST, "51"),
                "windrow_inputs_chain (chain_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)");
        read("COUNT_SORTED", List.of());
        read("SKIP", List.of(NEWEST, "20000", "1", "NULL"), "windrow_inputs_pkey (job_id)");
        read("SKIP_UP", List.of(OLDEST, "20000", "1", "NULL"), "windrow_inputs_pkey (job_id)");
        read("FIRST_AT", List.of("1800000000000"), "windrow_inputs_pkey (job_id)");
        read("PAYLOADS", List.of(PAGE), "windrow_inputs_pkey (job_id)");
        read(
                "LIST_WORKFLOWS",
                List.of(NEWEST, "51", "10000"),
                "windrow_inputs_workflow (workflow_id)",
                "windrow_jobs_pkey (id)");
        read("METADATA", List.of(PAGE), "windrow_metadata_pkey (job_id)");
        read("OLDEST_RUNNING", List.of(), "all of windrow_jobs_running");
        read("LIVE_RETRIES", List.of(), "all of windrow_jobs_retrying");
        read(
                "READ_ATTEMPTS",
                List.of("12345"),
                "windrow_attempt_texts_pkey (job_id, token, kind)",
                "windrow_attempts_pkey (job_id)",
                "windrow_jobs_pkey (id)");
        read("RELEASES", List.of("1000"));
        String from = "1800000000000";
        String before = "1800000005000";
        read("READ_AUDIT_TIME", List.of("7"), "windrow_audit_pkey (id)");
        read("READ_AUDIT", List.of("51", from, before, before, "7"), "windrow_audit_at (at)");
        read(
                "READ_AUDIT_OF_ACTION",
                List.of("51", from, before, before, "7", "'RETRY'"),
                "windrow_audit_action (action, at)");
        read(
                "READ_AUDIT_OF_ACTOR",
                List.of("51", from, before, before, "7", "NULL", "'actor1'"),
                "windrow_audit_actor (actor, at)");
        read(
                "READ_AUDIT_OF_JOB",
                List.of("51", from, before, before, "7", "NULL", "NULL", "12345"),
                "windrow_audit_jobs_job (job_id)",
                "windrow_audit_pkey (id)");
        read("READ_AUDIT_JOBS", List.of("'{1,2}'"), "windrow_audit_jobs_pkey (audit_id)");
        read("ATTEMPTS_LEFT_OUT", List.of("12345"), "windrow_events_pkey (job_id)");
        read(
                "READ_EVENTS",
                List.of("12345"),
                "windrow_attempts_pkey (job_id)",
                "windrow_events_pkey (job_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)");
        read(
                "READ_JOBS",
                List.of(PAGE),
                "windrow_edges_parent (parent)",
                "windrow_edges_pkey (child)",
                "windrow_events_pkey (job_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_metadata_pkey (job_id)",
                "windrow_progress_pkey (job_id)",
                "windrow_tags_pkey (job_id)");
        read("EXISTING_BLOBS", List.of(PAGE), "windrow_blobs_pkey (id)");
        read("READ_CHUNK", List.of("12345", "1"), "windrow_blob_chunks_pkey (blob_id, \"position\")");
        read(
                "READ_CHAIN",
                List.of("12345"),
                "windrow_inputs_chain (chain_id, chain_index)",
                "windrow_inputs_pkey (job_id)");
        read(
                "READ_LINKS",
                List.of("12345"),
                "windrow_attempt_texts_pkey (job_id, kind)",
                "windrow_edges_pkey (child, \"position\")");
        read("READ_STEPS", List.of("12345"), "windrow_steps_position (job_id + 0)");
        read("READ_LOG", List.of("12345"), "windrow_log_lines_pkey (job_id)");
        read(
                "READ_OUTCOME",
                List.of("12345"),
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_results_pkey (job_id)");
        read(
                "READ_PARENTS",
                List.of("12345"),
                "windrow_edges_pkey (child)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_results_pkey (job_id)");
        read(
                "READ_DETAILS",
                List.of("12345"),
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_results_pkey (job_id)");
        read("READ_LIMITS", List.of("NULL", "NULL"));
        read("READ_SCHEDULES", List.of());
        read("READ_SCHEDULE", List.of("'s'"));
        read("DUE_SCHEDULES", List.of("1800000000000", "0", "0", "500"));
        read("AHEAD_SCHEDULES", List.of("1800000000000", "500"));
        read("NEXT_SCHEDULE", List.of("0"));
        read("COUNT_SCHEDULES", List.of());
        read("READ_RUNS", List.of("'s'", "10"), "windrow_schedule_runs_pkey (schedule_id)");
        read("READ_WORKERS", List.of(), "all of windrow_jobs_running");
        read("RETRIES", List.of());
        read("RETRY_SCHEDULED", List.of("'{q0,q1}'", "'{t1,t2}'", "0"), "all of windrow_jobs_due");
        read("LOWEST_READY", List.of("1"), "windrow_jobs_claim (lane)");
        read("COUNT_WAITS", List.of(), "all of windrow_jobs_wake");
        read("STUCK_SLOTS", List.of("1800000000000"));
        read(
                "SUSPECTS",
                List.of("1800000010000", "1800000040000", "1000", "-1", "-1"),
                "all of windrow_jobs_running",
                "windrow_attempts_pkey (job_id)",
                "windrow_inputs_pkey (job_id)");
        read(
                "UNFINISHED",
                List.of("'{q0,q1}'", "'{t1,t2}'"),
                "all of windrow_permits_waiting",
                "windrow_jobs_pkey (id)");

        read(
                "UNFINISHED_FROM",
                List.of("'{q0,q1}'", "'{t1,t2}'", "10"),
                "all of windrow_permits_waiting",
                "windrow_permits_granted (key)",
                "windrow_jobs_claim (lane)",
                "windrow_jobs_running (lane)",
                "windrow_jobs_pkey (id)");

        check("BEGIN_LOOK", "no query");
        check("BEGIN_READ", "settings");
        check("BOUND", "settings");
        check("BEGIN_SNAPSHOT", "no query");
        check("CHECK_INDEX", "a function of an extension");
        check("CHECKSUM_FAILURES", "what the server has counted");
        check("ORPHANED_RUNS", "looks at all runs");
        check("CONTRADICTIONS", "looks at all jobs");
        check("COUNT_JOBS", "counts all jobs");
        check("LANES_TO_LIMIT", "tables as small as there are queues and types");
        check("IS_INDEX_OF_LITTLE", "one index of the catalog");
        check("DOUBTFUL_LEASES", "windrow_jobs_running");
        check("HOT_TABLES", "what the server has counted");
        check("INDEXES", "the catalog");
        check("LIVING", "a table as small as there are workers");
        check("MISSING_INDEXES", "the catalog");
        check("NO_DEADLINE", "settings");
        check("NUMBERS", "windrow_inputs_pkey");
        check("OLD_TRANSACTIONS", "the sessions");
        check("ORPHANS", "looks at all that belongs to jobs");
        check("SETTINGS", "settings");
        check("TWO_LANES", "looks at all jobs");
        check("WRONG_BLOBS", "looks at all that is kept apart");
        check("UNKNOWN_NUMBERS", "looks at all that has a lane or an actor");
        check("SAMPLE_TAG", "windrow_tags_pkey");
        check("USE_AMCHECK", "the catalog");
        check("WAITING_LOCKS", "the locks");
        check("WITHOUT_INPUT", "looks at all jobs");
        check("WRONG_ATTEMPTS", "looks at all attempts");
        check("UNLOGGED_FAILURES", "looks at all attempts and stored events");
        check("WAITS", "looks at blocked jobs that wait for younger ones");
        check("WRONG_EDGES", "looks at all edges");
        check("WRONG_EVENTS", "looks at all stored events");
        check("WRONG_FAILURES", "looks at all failed jobs");
        check("WRONG_RELEASES", "a table as small as there are parents in the midst of their end");
        check("WRONG_OPEN_PARENTS", "looks at all jobs and edges");
    }

    /** The form of a scan in EXPLAIN. The second group is a table that is scanned. */
    private static final Pattern SCAN = Pattern.compile(
            "(?:Index(?: Only)? Scan(?: Backward)? using|Bitmap Index Scan on) (\\w+)|Seq Scan on (\\w+)");

    private static final Pattern CONDITION = Pattern.compile("Index Cond: \\((.*)\\)");

    private static PostgresServer server;

    private static TestTables full;

    private static final Set<String> NO_PLAN = Set.of("COMMIT", "DISCARD_PLANS");

    private static void work(String constant, String... steps) {
        WORK.put(constant, new TreeSet<>(List.of(steps)));
    }

    /** Adds a statement with values for its parameters. */
    private static void read(String constant, List<String> values, String... steps) {
        READ.put(constant, new TreeSet<>(List.of(steps)));
        VALUES.put(constant, values);
    }

    private static void check(String constant, String reason) {
        CHECK.put(constant, reason);
    }

    @BeforeAll
    static void fillTables() throws SQLException {
        server = startServer();
        full = tables(server);
        fill(full, 40_000);
    }

    @AfterAll
    static void closeServer() throws SQLException {
        full.close();
        server.close();
    }

    /**
     * Starts a server without other tests. While an older transaction is open, vacuum cannot mark the pages that an index-only scan need not read.
     * Then other plans cost as little.
     */
    public static PostgresServer startServer() {
        return PostgresServer.start("fsync=off", "autovacuum_naptime=1h");
    }

    /** Compares the plan of each statement with the intended one. A failure names the differing ones. */
    public static void assertPlans(Map<String, Set<String>> plans, Map<String, Set<String>> intended) {
        assertThat(plans.keySet()).as("a plan for each statement, no other").isEqualTo(intended.keySet());
        Map<String, Set<String>> others = new TreeMap<>(plans);
        others.entrySet().removeAll(intended.entrySet());
        assertThat(others)
                .allSatisfy((constant, steps) -> assertThat(steps).as(constant).isEqualTo(intended.get(constant)));
    }

    /** Returns how statements that run together with jobs are meant to find their rows. */
    public static Set<String> steps() {
        Set<String> all = new TreeSet<>();
        WORK.values().forEach(all::addAll);
        READ.values().forEach(all::addAll);
        return all;
    }

    /** Creates new, empty tables. */
    public static TestTables tables(PostgresServer server) throws SQLException {
        String schema = server.newSchema();
        PostgresStore store =
                PostgresStore.configure(server.dataSource()).schema(schema).build();
        new StoreDriver(store, new ManualTime()).close();
        return TestTables.open(server, schema);
    }

    public static void drop(TestTables tables) throws SQLException {
        tables.connection().setAutoCommit(true);
        tables.execute("DROP SCHEMA " + tables.tables().schema() + " CASCADE");
        tables.close();
    }

    /** Adds jobs in all states, most of them completed, with all their rows. */
    public static void fill(TestTables tables, int jobs) throws SQLException {
        tables.execute(FILL.formatted(jobs));
        for (String table : tables.rows("SELECT tablename FROM pg_tables WHERE schemaname = '"
                + tables.tables().schema() + "'")) {
            tables.execute("VACUUM ANALYZE " + table);
        }
    }

    private static final String FILL = """
            INSERT INTO windrow_actors (name) SELECT 'actor' || n FROM generate_series(1, 20) n;
            INSERT INTO windrow_lanes (queue, type) SELECT 'q' || n %% 2, 't' || n FROM generate_series(1, 8) n;
            INSERT INTO windrow_jobs (id, scheduled_at, token, lease_until, claimed_at, started_at, finished_at, lane, priority, used, max_attempts, worker,
                                      open_parents, state, waiting_for, error_code, error_detail)
            SELECT n, 1800000000000 + n, CASE WHEN state IN ('BLOCKED','SCHEDULED','PENDING') THEN 0 ELSE 1 END,
                   CASE WHEN state = 'RUNNING' THEN 1800000030000 + n END, CASE WHEN state IN ('RUNNING','COMPLETED','FAILED','CANCELLED') THEN 1800000000000 + n END,
                   CASE WHEN state IN ('RUNNING','COMPLETED','FAILED') THEN 1800000000000 + n END,
                   CASE WHEN state IN ('COMPLETED','FAILED','CANCELLED') THEN 1800000000100 + n END,
                   1 + n %% 8, n %% 3, 0, 3, CASE WHEN state IN ('RUNNING','COMPLETED') THEN 1 + n %% 20 END, CASE WHEN state = 'BLOCKED' THEN 1 ELSE 0 END, state,
                   CASE WHEN state = 'BLOCKED' THEN 'PARENTS' END, CASE WHEN state = 'FAILED' THEN 'TEST:' || n %% 7 END, NULL
              FROM (SELECT n, CASE WHEN n %% 100 < 80 THEN 'COMPLETED' WHEN n %% 100 < 84 THEN 'FAILED' WHEN n %% 100 < 86 THEN 'CANCELLED'
                                   WHEN n %% 100 < 92 THEN 'PENDING' WHEN n %% 100 < 96 THEN 'SCHEDULED' WHEN n %% 100 < 99 THEN 'BLOCKED' ELSE 'RUNNING' END AS state
                      FROM generate_series(1, %d) n) s;
            INSERT INTO windrow_inputs (job_id, created_at, lane, created_by, name, payload, workflow_id, dedupe_key) SELECT id, scheduled_at, lane, 1, NULL, '{"n":' || id || '}', CASE WHEN id %% 10 = 0 THEN id %% 100 END, CASE WHEN id %% 10 = 0 THEN 'k' || id END FROM windrow_jobs;
            INSERT INTO windrow_results SELECT id, '{}' FROM windrow_jobs WHERE state = 'COMPLETED';
            INSERT INTO windrow_metadata SELECT id, '{"n":' || id || '}' FROM windrow_jobs WHERE id %% 2 = 0;
            INSERT INTO windrow_tags SELECT id, 'tag' || id %% 50 FROM windrow_jobs WHERE id %% 2 = 0;
            INSERT INTO windrow_attempts (job_id, token, claimed_at, started_at, finished_at, attempt, worker, outcome) SELECT id, 1, claimed_at, started_at, finished_at, 1, 1, state FROM windrow_jobs WHERE state IN ('FAILED','CANCELLED');
            INSERT INTO windrow_attempt_texts SELECT id, 1, 'STACK_TRACE', 'x' FROM windrow_jobs WHERE state = 'FAILED';
            INSERT INTO windrow_events (job_id, at, token, actor, event) SELECT id, finished_at, 1, 1 + id %% 20, state FROM windrow_jobs WHERE state IN ('FAILED','CANCELLED');
            INSERT INTO windrow_edges (child, parent, position, policy, satisfied) SELECT id, id - 3, 0, 'WAIT', state <> 'BLOCKED' FROM windrow_jobs WHERE id > 100 AND (state = 'BLOCKED' OR id %% 5 = 0);
            INSERT INTO windrow_counters SELECT lane, state, count(*) FROM windrow_jobs GROUP BY 1, 2;
            INSERT INTO windrow_counter_deltas (lane, n, state) SELECT 1 + n %% 8, 0, 'PENDING' FROM generate_series(1, 500) n;
            INSERT INTO windrow_throughput SELECT n, 1, 1, 1, 1, 1, l, '{}', '{}' FROM generate_series(1, 5000) n, generate_series(1, 8) l;
            INSERT INTO windrow_failures SELECT error_code, count(*), 1, 2 FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1;
            INSERT INTO windrow_workers SELECT n, 'actor' || n, 'h', n, 'p' || n, '1', '{q0,q1}', '{t1,t2}', 4, 0, 1800000000000, 1800000000000, 1800000010000 FROM generate_series(1,20) n;
            INSERT INTO windrow_progress SELECT id, token, 1, 0.5, 'x' FROM windrow_jobs WHERE token > 0;
            INSERT INTO windrow_log_lines SELECT id, n, 1, 1, 'INFO', 'x' FROM windrow_jobs, generate_series(1, 5) n WHERE id %% 20 = 0;
            INSERT INTO windrow_steps (job_id, token, started_at, position, name, kind, state) SELECT id, 1, 1, n, 's' || n, 'STEP', 'DONE' FROM windrow_jobs, generate_series(1, 5) n WHERE id %% 20 = 0;
            INSERT INTO windrow_blobs (job_id, bytes, created_at, kind, sha256) SELECT CASE WHEN id %% 100 <> 0 THEN id END, 2, 1800000000000 + id, CASE WHEN id %% 100 <> 0 THEN 'PAYLOAD' END, 'x' FROM windrow_jobs WHERE id %% 10 = 0;
            INSERT INTO windrow_blob_chunks SELECT id, n, 'x' FROM windrow_blobs, generate_series(0, 1) n;
            INSERT INTO windrow_audit (at, jobs, actor, action) SELECT 1800000000000 + n, 1, 1 + n %% 20, CASE WHEN n %% 100 = 0 THEN 'RETRY' ELSE 'CANCEL' END FROM generate_series(1, 5000) n;
            INSERT INTO windrow_audit_jobs SELECT id, 12000 + id %% 1000, 'FAILED', 'PENDING' FROM windrow_audit;
            INSERT INTO windrow_dedupe (type, key, job_id, scope) SELECT 't', 'k' || id, id, 'ANY' FROM windrow_jobs WHERE id %% 10 = 0;
            INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, every_ms, starts_at, misfire, overlap, next_at, fired_at, created_at, created_by, changed_at)
            SELECT n, 's' || n, 'q', 't', 0, 3, '[]', 60000, 0, 'ONCE', 'ALLOW', 1800000000000 + n, 1700000000000 + n, 1, 1, 1 FROM generate_series(1, 5000) n;
            INSERT INTO windrow_schedule_runs (schedule_id, due_at, until_at, runs, fired_at, outcome) SELECT s.id, n, n, 1, n, 'ENQUEUED' FROM windrow_schedules s, generate_series(1, 20) n;
            INSERT INTO windrow_permits (job_id, position, priority, concurrency_limit, granted, key) SELECT id, id, priority, 2, id %% 3 = 0, 'key' || id %% 50 FROM windrow_jobs WHERE state IN ('PENDING', 'RUNNING');
            """;

    /** The classes with statements, except for classes with a separate plan test. */
    private static final List<Class<?>> STATEMENTS = List.of(
            BlobSql.class,
            MetadataSql.class,
            CounterSql.class,
            DedupeSql.class,
            LimitSql.class,
            PermitSql.class,
            ReadSql.class,
            RegistrySql.class,
            ScheduleSql.class,
            SchemaSql.class,
            JobSql.class,
            StatisticsSql.class,
            StepSql.class,
            TransactionSql.class,
            WorkflowSql.class);

    /** Returns the statements of a kind, by the names of their constants. */
    private static Map<String, String> statements(Set<String> kind) throws ReflectiveOperationException {
        Map<String, String> statements = new TreeMap<>();
        for (Class<?> constants : STATEMENTS) {
            constants(constants)
                    .forEach((name, sql) -> assertThat(statements.put(name, sql))
                            .as("another %s", name)
                            .isNull());
        }
        statements.keySet().retainAll(kind);
        return statements;
    }

    /** Returns all statements that move jobs, by the names of their constants. */
    private static Map<String, String> work() throws ReflectiveOperationException {
        return statements(WORK.keySet());
    }

    @Test
    void everyStatementHasOneKind() throws Exception {
        Set<String> known = new TreeSet<>(WORK.keySet());
        known.addAll(READ.keySet());
        known.addAll(CHECK.keySet());
        for (Class<?> constants : STATEMENTS) {
            assertThat(known).containsAll(constants(constants).keySet());
        }
    }

    public static Map<String, String> constants(Class<?> constants) throws ReflectiveOperationException {
        Map<String, String> statements = new TreeMap<>();
        for (Field field : constants.getDeclaredFields()) {
            if (field.getType() == String.class) {
                field.setAccessible(true);
                statements.put(field.getName(), (String) field.get(null));
            }
        }
        return statements;
    }

    private static Map<String, String> reads() throws ReflectiveOperationException {
        Map<String, String> reads = statements(READ.keySet());
        reads.putAll(constants(ListSql.class));
        return reads;
    }

    /** Returns how a plan finds rows: {@code index (the columns that it is searched by)}, or {@code all of} a table or an index. */
    public static Set<String> steps(List<String> plan) {
        Set<String> steps = new TreeSet<>();
        for (int i = 0; i < plan.size(); i++) {
            Matcher scan = SCAN.matcher(plan.get(i));
            if (scan.find()) {
                String index = scan.group(1);
                Matcher condition = CONDITION.matcher(i + 1 < plan.size() ? plan.get(i + 1) : "");
                String columns = condition.find() ? columns(condition.group(1)) : "";
                steps.add(
                        index == null
                                ? "all of " + scan.group(2)
                                : columns.isEmpty() ? "all of " + index : "%s (%s)".formatted(index, columns));
            }
        }
        return steps;
    }

    /** Returns the columns on the left of the conditions. Leaves out IS NOT NULL, which some server versions add to the search for a minimum. */
    private static String columns(String condition) {
        Set<String> columns = new LinkedHashSet<>();
        for (String part : condition.split(" AND ", -1)) {
            if (!part.contains(" IS NOT NULL")) {
                String left = part.split(" (?:=|<|>|<=|>=) ", 2)[0];
                columns.add(left.replace("ROW(", "").replaceAll("[()]", "").replace("- ", "-"));
            }
        }
        return String.join(", ", columns);
    }

    private static Set<String> without(Set<String> steps, Pattern... left) {
        Set<String> rest = new TreeSet<>(steps);
        for (Pattern each : left) {
            rest.removeIf(step -> each.matcher(step).matches());
        }
        return rest;
    }

    private interface Explaining {
        List<String> explain(String constant, String sql) throws SQLException;
    }

    /** Returns the plan of each statement, each in a separate transaction. */
    private static Map<String, Set<String>> plans(
            TestTables tables, Map<String, String> statements, Explaining explaining, Pattern... left)
            throws SQLException {
        tables.connection().setAutoCommit(false);
        Map<String, Set<String>> plans = new TreeMap<>();
        for (Map.Entry<String, String> statement : statements.entrySet()) {
            try {
                List<String> plan = explaining.explain(statement.getKey(), statement.getValue());
                plans.put(statement.getKey(), without(steps(plan), left));
            } finally {
                tables.connection().rollback();
            }
        }
        tables.connection().setAutoCommit(true);
        return plans;
    }

    public static List<String> generic(TestTables tables, String sql) throws SQLException {
        tables.execute("SET LOCAL plan_cache_mode = force_generic_plan");
        return Plans.plan(tables.connection(), tables.tables(), sql);
    }

    private static List<String> withValues(TestTables tables, String sql, List<String> values) throws SQLException {
        String filled = Pattern.compile("\\$([0-9]+)")
                .matcher(sql)
                .replaceAll(found -> Matcher.quoteReplacement(values.get(Integer.parseInt(found.group(1)) - 1)));
        return tables.rows("EXPLAIN (COSTS OFF) " + filled);
    }

    /** The alternatives that the server may choose under its own settings: a scan of a table that has only waiting or running jobs with keys. */
    private static final Map<String, Map<String, String>> INSTEAD = Map.of(
            "UNFINISHED",
                    Map.of(
                            "all of windrow_permits", "all of windrow_permits_waiting",
                            "all of windrow_permits_granted", "all of windrow_permits_waiting"),
            "UNFINISHED_FROM", Map.of("all of windrow_permits", "all of windrow_permits_waiting"),
            "LIST_PENDING", Map.of("all of windrow_permits", "all of windrow_permits_waiting"),
            "LIST_PENDING_UP", Map.of("all of windrow_permits", "all of windrow_permits_waiting"));

    private static Map<String, Set<String>> asMeant(Map<String, Set<String>> plans) {
        INSTEAD.forEach((constant, steps) -> plans.computeIfPresent(
                constant,
                (key, taken) -> taken.stream()
                        .map(step -> steps.getOrDefault(step, step))
                        .collect(Collectors.toSet())));
        return plans;
    }

    @Test
    void everyWritingStatementFindsItsRowsByItsIntendedIndex() throws Exception {
        assertThat(WORK.keySet()).as("a plan for each statement, no other").isEqualTo(work().keySet());
        assertPlans(plansOfWork(full), WORK);
    }

    /**
     * The server estimates the indexes of other states as nearly empty if all jobs have ended. Behind a transaction that stays open they are full of
     * dead entries. None of them may be scanned to find a row by its key.
     */
    @Test
    void writingStatementsKeepTheirIndexUnderStatisticsOfEndedJobs() throws Exception {
        TestTables ended = tables(server);
        fill(ended, 10_000);
        ended.execute("UPDATE windrow_jobs SET state = 'COMPLETED', waiting_for = NULL");
        ended.execute("ANALYZE windrow_jobs");
        Map<String, Set<String>> plans = plansOfWork(ended);
        drop(ended);
        assertPlans(plans, WORK);
    }

    /** A migrated store keeps an attempt and an event for each job that it had completed before. */
    @Test
    void plansStayTheSameInAMigratedStore() throws Exception {
        TestTables migrated = tables(server);
        fill(migrated, 40_000);
        migrated.execute("""
                UPDATE windrow_jobs SET worker = NULL WHERE state = 'COMPLETED';
                INSERT INTO windrow_attempts (job_id, token, claimed_at, started_at, finished_at, attempt, worker, outcome) SELECT id, 1, claimed_at, started_at, finished_at, 1, 1, 'SUCCEEDED' FROM windrow_jobs WHERE state = 'COMPLETED';
                INSERT INTO windrow_events (job_id, at, token, actor, event) SELECT id, finished_at, 1, 1 + id % 20, 'SUCCEEDED' FROM windrow_jobs WHERE state = 'COMPLETED';
                """);
        migrated.execute("VACUUM ANALYZE windrow_jobs");
        migrated.execute("VACUUM ANALYZE windrow_attempts");
        migrated.execute("VACUUM ANALYZE windrow_events");
        Map<String, Set<String>> work = plansOfWork(migrated);
        Map<String, Set<String>> reads = plansOfReads(migrated);
        drop(migrated);
        assertPlans(work, WORK);
        assertPlans(reads, READ);
    }

    /**
     * If all edges lead to one parent, the server expects a child of any parent at the beginning of every index. It may read all edges in order of children then,
     * for each parent without children.
     */
    @Test
    void writingStatementsKeepTheirIndexUnderStatisticsOfOneParent() throws Exception {
        TestTables one = tables(server);
        fill(one, 10_000);
        for (int edges : new int[] {2000, 100}) {
            one.execute(
                    "DELETE FROM windrow_edges WHERE child NOT IN (SELECT child FROM windrow_edges ORDER BY child LIMIT "
                            + edges + ")");
            one.execute("UPDATE windrow_edges SET parent = 1, satisfied = false");
            one.execute("VACUUM ANALYZE windrow_edges");
            Map<String, Set<String>> plans = plansOfWork(one);
            WORK.forEach((constant, steps) -> assertThat(plans.getOrDefault(constant, Set.of()))
                    .as("%s among %d edges", constant, edges)
                    .containsAll(steps.stream()
                            .filter(step -> step.startsWith("windrow_edges_parent"))
                            .toList()));
        }
        drop(one);
    }

    /**
     * A plan may be two seconds old, and an application can enqueue many thousands of jobs in that time. A join that reads all jobs for each one of a
     * batch is the cheapest plan while there are few.
     */
    @Test
    void writingStatementsPlannedOnSmallTablesUseTheirKeys() throws Exception {
        for (int jobs : new int[] {0, 300}) {
            TestTables few = tables(server);
            if (jobs > 0) {
                fill(few, jobs);
            }
            plansOfWork(few)
                    .forEach((constant, steps) -> assertThat(steps.stream().filter(step -> step.startsWith("all of ")))
                            .as("%s among %d jobs", constant, jobs)
                            .isSubsetOf(WORK.get(constant)));
        }
    }

    /** A worker whose leases are not renewed in time loses its jobs. */
    @Test
    void leasesAreRenewedByJobKeysUnderAnyStatistics() throws Exception {
        for (int jobs : new int[] {1, 10, 60}) {
            TestTables few = tables(server);
            fill(few, jobs);
            assertThat(plansOfWork(few).get("RENEW")).as("among %d jobs", jobs).isEqualTo(WORK.get("RENEW"));
        }
        TestTables emptied = tables(server);
        fill(emptied, 300);
        emptied.execute("DELETE FROM windrow_jobs");
        emptied.execute("ANALYZE windrow_jobs");
        assertThat(plansOfWork(emptied).get("RENEW"))
                .as("after all were deleted")
                .isEqualTo(WORK.get("RENEW"));
    }

    /** Three parents have a thousand children each. A nested loop would compare each with each. */
    @Test
    void satisfiedEdgesAreLookedUpInAHash() throws Exception {
        full.execute("PREPARE satisfy AS " + WorkflowSql.SATISFY_EDGES);
        List<String> plan = full.rows("EXPLAIN (VERBOSE, COSTS OFF) EXECUTE satisfy ('{1,2,3}', true, 0, 1000, 3000)");
        full.execute("DEALLOCATE satisfy");
        assertThat(plan).anyMatch(line -> line.contains("hashed SubPlan"));
    }

    private static Map<String, Set<String>> plansOfWork(TestTables tables) throws Exception {
        Map<String, String> statements = work();
        statements.keySet().removeAll(NO_PLAN);
        Map<String, Set<String>> plans = plans(
                tables,
                statements,
                (constant, sql) -> {
                    try (PostgresStatements begin = new PostgresStatements(tables.connection(), tables.tables())) {
                        begin.get(TransactionSql.BEGIN_WORK)
                                .set(1, "0")
                                .set(2, "0")
                                .set(3, false)
                                .rows()
                                .close();
                    }
                    return Plans.plan(tables.connection(), tables.tables(), sql).stream()
                            .filter(line -> !line.contains(" pg_"))
                            .toList();
                },
                SMALL);
        NO_PLAN.forEach(constant -> plans.put(constant, Set.of()));
        return plans;
    }

    @Test
    void everyReadingStatementFindsItsRowsByItsIntendedIndex() throws Exception {
        Map<String, String> statements = reads();
        assertPlans(plansOfReads(full), READ);
        assertPlans(
                asMeant(plans(
                        full,
                        statements,
                        (constant, sql) -> withValues(full, sql, VALUES.get(constant)),
                        SMALL,
                        ACTORS)),
                READ);
    }

    @Test
    void theViewsFindTheRowsOfAJobByKeys() throws Exception {
        for (String view : List.of(
                "windrow_job_view WHERE id", "windrow_attempt_view WHERE job_id", "windrow_event_view WHERE job_id")) {
            String query = "SELECT * FROM %s = 12345".formatted(view);
            assertThat(without(steps(withValues(full, query, List.of())), SMALL, ACTORS))
                    .as(view)
                    .isNotEmpty()
                    .noneMatch(step -> step.startsWith("all of "));
        }
    }

    /** Returns the plans for any values of the parameters, by the server's own settings. */
    private static Map<String, Set<String>> plansOfReads(TestTables tables) throws Exception {
        return asMeant(plans(tables, reads(), (constant, sql) -> generic(tables, sql), SMALL, ACTORS));
    }

    /** Failure class 11. */
    @Test
    void readsPlannedOnNearlyEmptyTablesStayFastWhenTheyAreFull() throws Exception {
        Map<String, String> statements = reads();
        for (int jobs : new int[] {0, 1, 10, 60, 300}) {
            assertThat(whatIsReadAsAWhole(statements, jobs))
                    .as("among %d jobs", jobs)
                    .isEmpty();
        }
    }

    private static List<String> whatIsReadAsAWhole(Map<String, String> statements, int jobs) throws Exception {
        TestTables few = tables(server);
        if (jobs > 0) {
            fill(few, jobs);
        }
        Map<String, Set<String>> plans = plans(
                few,
                statements,
                (constant, sql) -> {
                    few.execute("SET LOCAL enable_seqscan = off");
                    return generic(few, sql);
                },
                SMALL,
                ACTORS);
        drop(few);
        List<String> whole = new ArrayList<>();
        asMeant(plans)
                .forEach((constant, steps) -> steps.stream()
                        .filter(step -> step.startsWith("all of "))
                        // These indexes have the same rows.
                        .map(step -> step.replaceFirst("windrow_jobs_failed_(id|at)", "windrow_jobs_failed"))
                        .filter(step -> !READ.get(constant).contains(step))
                        .forEach(step -> whole.add(constant + ": " + step)));
        return whole;
    }

    /**
     * Under the settings of reads all scans of small tables, such as the lanes, cost the same. So a join of two of them could compare each row with
     * each.
     */
    @Test
    void tablesOfTheSizeOfTheLanesAreNeverJoinedRowByRow() throws Exception {
        full.connection().setAutoCommit(false);
        full.execute("SET LOCAL enable_seqscan = off");
        List<String> plan = generic(full, CounterSql.COUNTERS);
        full.connection().rollback();
        full.connection().setAutoCommit(true);
        assertThat(plan).noneMatch(line -> line.contains("Join") || line.contains("Nested Loop"));
    }

    @Test
    void everyScanOfADiagnosisIsIntended() throws Exception {
        Map<String, String> statements = constants(CheckSql.class);
        statements.putAll(statements(CHECK.keySet()));
        assertThat(CHECK.keySet()).as("a reason for each statement, no other").isEqualTo(statements.keySet());
        statements.keySet().removeAll(Set.of("BEGIN_LOOK", "BEGIN_SNAPSHOT", "CHECK_INDEX"));
        Map<String, Set<String>> plans = plans(full, statements, (constant, sql) -> generic(full, sql));
        plans.forEach((constant, steps) -> {
            if (CHECK.get(constant).startsWith("windrow_")) {
                assertThat(steps)
                        .as(constant)
                        .anyMatch(step -> step.contains(CHECK.get(constant)))
                        .doesNotContain("all of windrow_jobs", "all of windrow_inputs");
            }
        });
    }
}
