package dev.windrow.sqlite.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.Tables;
import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.PermitSql;
import dev.windrow.sqlite.monitor.CheckSql;
import dev.windrow.sqlite.monitor.CounterSql;
import dev.windrow.sqlite.monitor.StatisticsSql;
import dev.windrow.sqlite.payload.BlobSql;
import dev.windrow.sqlite.payload.MetadataSql;
import dev.windrow.sqlite.processes.RegistrySql;
import dev.windrow.sqlite.query.ListSql;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.sqlite.schedule.ScheduleSql;
import dev.windrow.sqlite.schema.SchemaSql;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.workflow.WorkflowSql;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Touch;
import dev.windrow.testkit.ManualTime;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConnection;

/** The query plans of all statements of the store: each finds its rows as its comment says. */
@Tag("once") // on one JDK: SQLite makes the plans
public class SqlPlanTest {
    /** The results of EXPLAIN QUERY PLAN: how each table is searched or scanned. */
    private static final Map<String, Set<String>> PLANS = new TreeMap<>();

    static {
        plan("BEGIN");
        plan("BEGIN_READ");
        plan(
                "READ_SCHEDULES",
                "SCAN s USING INDEX sqlite_autoindex_windrow_schedules_1",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_SCHEDULE",
                "SEARCH s USING INDEX sqlite_autoindex_windrow_schedules_1 (name=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("DUE_SCHEDULES", "SEARCH s USING INDEX windrow_schedules_next (next_at>? AND next_at<?)");
        plan("AHEAD_SCHEDULES", "SEARCH s USING INDEX windrow_schedules_fired (fired_at>?)");
        plan("NEXT_SCHEDULE", "SEARCH windrow_schedules USING INDEX windrow_schedules_next (next_at>?)");
        plan("COUNT_SCHEDULES", "SCAN windrow_schedules");
        plan("INSERT_SCHEDULE");
        plan("UPDATE_SCHEDULE", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan("PAUSE_SCHEDULE", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan("RESUME_SCHEDULE", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "REMOVE_SCHEDULE",
                "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=?)");
        plan("RAN_SCHEDULE", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan("IS_SCHEDULE_AS_READ", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan("CHANGED_SCHEDULE", "SEARCH windrow_schedules USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "OPEN_CHAINS",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH n USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan("MADE_RUNS", "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=? AND due_at>? AND due_at<?)");
        plan("INSERT_RUN");
        plan(
                "PRUNE_RUNS",
                "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=? AND due_at<?)",
                "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=?)");
        plan("DROP_MISSED_RUNS", "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=? AND due_at>?)");
        plan("CUT_MISSED_RUNS", "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=? AND due_at<?)");
        plan("COUNT_RUNS", "SEARCH windrow_schedule_runs USING PRIMARY KEY (schedule_id=?)");
        plan(
                "READ_RUNS",
                "SEARCH s USING COVERING INDEX sqlite_autoindex_windrow_schedules_1 (name=?)",
                "SEARCH r USING PRIMARY KEY (schedule_id=?)");
        plan("DATA_VERSION");
        plan("MIN_COMPATIBLE", "SEARCH windrow_schema USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH windrow_schema");
        plan("SCHEMA_STATE", "SEARCH windrow_schema USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH windrow_schema");
        plan("CANCEL_REQUESTS", "SCAN windrow_jobs USING INDEX windrow_jobs_cancel");
        plan("COMMIT");
        plan("ROLLBACK");
        plan("SAVEPOINT");
        plan("RELEASE_SAVEPOINT");
        plan("ROLLBACK_TO_SAVEPOINT");
        plan("TAKE_IDS", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LAST_READY", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_claim (lane=? AND priority=?)");
        plan("NEXT_ID", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("KEEP_ID_FLOOR", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("INSERT_ACTOR");
        plan(
                "FIND_ACTOR",
                "SEARCH windrow_actors USING COVERING INDEX sqlite_autoindex_windrow_actors_1 (name=? AND instance=?)");
        plan(
                "INSERT_LANE",
                "SCAN (subquery-1)",
                "SEARCH q USING PRIMARY KEY (kind=? AND name=?) LEFT-JOIN",
                "SEARCH t USING PRIMARY KEY (kind=? AND name=?) LEFT-JOIN",
                "SEARCH windrow_counters USING PRIMARY KEY (lane=?)",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_lane (lane=?)",
                "SEARCH windrow_throughput USING INDEX windrow_throughput_lane (lane=?)",
                "SEARCH windrow_retry_counters USING PRIMARY KEY (lane=?)");
        plan("LANE_STATE", "SEARCH windrow_lanes USING INTEGER PRIMARY KEY (rowid=?)");
        plan("WRITE_SUMS", "SEARCH windrow_lanes USING INTEGER PRIMARY KEY (rowid=?)");
        plan("READ_LIMIT", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan(
                "STILL_READY",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH h EXISTS USING COVERING INDEX windrow_jobs_claim (lane=?)");
        plan("LIMIT_LANES", "SCAN windrow_lanes", "SEARCH c USING PRIMARY KEY (kind=? AND name=?)");
        plan(
                "NEW_LANES",
                "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_lanes USING INTEGER PRIMARY KEY (rowid>?)");
        plan(
                "READY_LANES",
                "SCAN head",
                "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH h USING COVERING INDEX windrow_jobs_claim (lane=?)",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane>?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "COUNT_RUNNING",
                "SCAN l",
                "SEARCH c USING PRIMARY KEY (lane=? AND state=?)",
                "SEARCH windrow_lanes USING COVERING INDEX sqlite_autoindex_windrow_lanes_1 (queue=?)",
                "SEARCH windrow_lanes USING COVERING INDEX windrow_lanes_type (type=?)");
        plan(
                "READY_OF",
                "SEARCH j EXISTS USING COVERING INDEX windrow_jobs_claim (lane=?)",
                "SEARCH windrow_lanes USING INDEX sqlite_autoindex_windrow_lanes_1 (queue=?)",
                "SEARCH windrow_lanes USING INDEX windrow_lanes_type (type=?)");
        plan("INSERT_JOB");
        plan("INSERT_RUNNING");
        plan(
                "INSERT_NEXT_JOB",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
        plan("HAS_EVENT", "SEARCH windrow_events USING PRIMARY KEY (job_id=? AND seq=?)");
        plan("MOVE_CHAIN_EDGES", "SEARCH windrow_edges USING INDEX windrow_edges_parent (parent=?)");
        plan(
                "WAITS_FOR_ITSELF",
                "SCAN up",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH windrow_edges USING PRIMARY KEY (child=?)");
        plan(
                "LAST_OF_CHAIN",
                "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH n USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan(
                "CHAIN",
                "SEARCH f USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH x USING COVERING INDEX windrow_jobs_chain (chain_id=?)");
        plan("KEEP_CHAIN", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "LIST_CHAINS",
                "SCAN c",
                "SEARCH f USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH k USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH n USING COVERING INDEX windrow_jobs_chain (chain_id<?)",
                "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_chain (chain_id<?)",
                "SEARCH x USING COVERING INDEX windrow_jobs_chain (chain_id=?)");
        plan(
                "READ_CHAIN",
                "SEARCH n USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("INSERT_PAYLOAD");
        plan("INSERT_TAG");
        plan("INSERT_EDGE");
        plan(
                "PARENT_STATES",
                "SCAN p VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("INSERT_EVENT");
        plan(
                "KEY_HOLDER",
                "SEARCH d USING PRIMARY KEY (type=? AND key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("TAKE_KEY");
        plan("KEEP_KEY", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("KEEP_WORKFLOW", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("KEY_STARTED", "SEARCH windrow_dedupe USING PRIMARY KEY (type=? AND key=?)");
        plan("KEY_ENDED", "SEARCH windrow_dedupe USING PRIMARY KEY (type=? AND key=?)");
        plan("MOVE_KEY", "SEARCH windrow_dedupe USING PRIMARY KEY (type=? AND key=?)");
        plan("KEY_DELETED", "SEARCH windrow_dedupe USING PRIMARY KEY (type=? AND key=?)");
        plan("REPLACE", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("REPLACE_PAYLOAD");
        plan("DELETE_PAYLOAD", "SEARCH windrow_payloads USING INTEGER PRIMARY KEY (rowid=?)");
        plan("DELETE_TAGS", "SEARCH windrow_tags USING PRIMARY KEY (job_id=?)");
        plan("INSERT_METADATA");
        plan("READ_METADATA", "SEARCH windrow_metadata USING INTEGER PRIMARY KEY (rowid=?)");
        plan("WRITE_METADATA");
        plan("DELETE_METADATA_EVENT", "SEARCH windrow_events USING PRIMARY KEY (job_id=?)");
        plan("LAST_EVENTS", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH e USING PRIMARY KEY (job_id=?)");
        plan("DELETE_METADATA", "SEARCH windrow_metadata USING INTEGER PRIMARY KEY (rowid=?)");
        plan("STAGE");
        plan("STAGE_PART");
        plan("STAGE_WHOLE", "SEARCH windrow_blobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("COUNT_STAGED", "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)", "SCAN w VIRTUAL TABLE INDEX 1:");
        plan("EXISTING_BLOBS", "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)", "SCAN w VIRTUAL TABLE INDEX 1:");
        plan("ADOPT_BLOB", "SEARCH windrow_blobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "DELETE_PAYLOAD_BLOB",
                "SEARCH windrow_blobs USING INDEX windrow_blobs_job (job_id=?)",
                "SEARCH windrow_blob_chunks USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=?)");
        plan("UNSTAGE", "SEARCH windrow_blobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "DROP_CHUNKS",
                "SEARCH (subquery-1)",
                "SEARCH windrow_blob_chunks USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=?)",
                "SEARCH windrow_blob_chunks USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=? AND position<?)");
        plan(
                "DROP_BLOB",
                "SEARCH windrow_blobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_blob_chunks USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=?)");
        plan("SWEEP_STAGED", "SEARCH windrow_blobs USING COVERING INDEX windrow_blobs_job (job_id=? AND created_at<?)");
        plan(
                "READ_CHUNK",
                "SEARCH windrow_blob_chunks USING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=? AND position=?)");
        plan(
                "WRONG_BLOBS",
                "SCAN b",
                "SCAN c USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1",
                "SCAN p",
                "SCAN r",
                "SCAN w",
                "SEARCH b USING INDEX windrow_blobs_job (job_id=?)",
                "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH c USING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=?)",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)");
        plan("DUE_JOBS", "SEARCH windrow_jobs USING INDEX windrow_jobs_due (scheduled_at<?)");
        plan("PROMOTE", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "NEXT_DUE",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_due",
                "SEARCH windrow_limits USING COVERING INDEX windrow_limits_wake (wakes_at>?)",
                "SEARCH (subquery-2)");
        plan(
                "READY",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH c USING PRIMARY KEY (lane=? AND state=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "NEXT_JOBS",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH h USING COVERING INDEX windrow_jobs_claim (lane=? AND priority>?)",
                "SCAN b",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "CLAIM",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("NOT_HELD", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "SETTLE_ALL_COMPLETED",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("MARK_STARTED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("STILL_HELD", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("WRITE_PROGRESS");
        plan("INSERT_STEP", "SEARCH windrow_steps USING COVERING INDEX windrow_steps_position (job_id=?)");
        plan(
                "READ_STEP",
                "SEARCH s USING INDEX sqlite_autoindex_windrow_steps_1 (job_id=? AND name=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_STEPS",
                "SEARCH s USING INDEX windrow_steps_position (job_id=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("END_STEP", "SEARCH windrow_steps USING INDEX sqlite_autoindex_windrow_steps_1 (job_id=? AND name=?)");
        plan("ARRIVE", "SEARCH windrow_steps USING INDEX sqlite_autoindex_windrow_steps_1 (job_id=? AND name=?)");
        plan("TIME_OUT_EVENTS", "SEARCH windrow_steps USING INDEX windrow_steps_position (job_id=?)");
        plan("FORGET_STEPS", "SEARCH windrow_steps USING COVERING INDEX windrow_steps_position (job_id=?)");
        plan("READ_FOR_SIGNAL", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "AWAIT",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_steps USING INDEX sqlite_autoindex_windrow_steps_1 (job_id=? AND name=?)");
        plan("WAKE", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LAST_LOG_LINE", "SEARCH windrow_log_lines USING PRIMARY KEY (job_id=?)");
        plan("INSERT_LOG_LINE");
        plan("TRIM_LOG", "SEARCH windrow_log_lines USING PRIMARY KEY (job_id=? AND seq<?)");
        plan("READ_LOG", "SEARCH windrow_log_lines USING PRIMARY KEY (job_id=?)");
        plan(
                "TRIMMED_EVENTS",
                "SEARCH e USING PRIMARY KEY (job_id=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND token=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND token>? AND token<?)");
        plan(
                "TRIM_EVENTS",
                "SEARCH windrow_events USING PRIMARY KEY (job_id=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND token=?)");
        plan(
                "TRIM_ATTEMPTS",
                "SEARCH windrow_attempts USING PRIMARY KEY (job_id=? AND token>? AND token<?)",
                "SEARCH windrow_attempt_texts USING COVERING INDEX sqlite_autoindex_windrow_attempt_texts_1 (job_id=? AND token=?)");
        plan("GROW_TRIMMED", "SEARCH windrow_events USING PRIMARY KEY (job_id=?)");
        plan("ATTEMPTS_LEFT_OUT", "SEARCH windrow_events USING PRIMARY KEY (job_id=?)");
        plan("STUCK_SLOTS", "SCAN windrow_workers");
        plan("SETTLE_COMPLETED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SETTLE_FAILED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SETTLE_CANCELLED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SETTLE_SCHEDULED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SETTLE_PENDING", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SETTLE_BLOCKED", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("INSERT_ATTEMPT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("INSERT_ATTEMPT_TEXT");
        plan("INSERT_RESULT");
        plan("RENEW", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "CHILDREN_BETWEEN",
                "SEARCH windrow_edges USING COVERING INDEX windrow_edges_parent (parent>? AND parent<?)");
        plan("OPEN_EDGES", "SCAN p VIRTUAL TABLE INDEX 1:", "SEARCH e USING INDEX windrow_edges_parent (parent=?)");
        plan("NEXT_OPEN_EDGES", "SEARCH e USING INDEX windrow_edges_parent (parent=? AND child>?)");
        plan("CANCEL_CHILD", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "MARK_EDGE",
                "SEARCH windrow_edges USING PRIMARY KEY (child=? AND position=?)",
                "SEARCH o USING PRIMARY KEY (child=?)");
        plan("UNMARK_EDGES", "SEARCH windrow_edges USING PRIMARY KEY (child=?)");
        plan("LEAVE_CHILDREN", "SEARCH e USING INDEX windrow_edges_parent (parent=?)");
        plan("READ_RELEASE", "SEARCH r USING PRIMARY KEY (parent=?)", "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)");
        plan("MOVE_RELEASE", "SEARCH windrow_releases USING PRIMARY KEY (parent=? AND state=?)");
        plan("END_RELEASE", "SEARCH windrow_releases USING PRIMARY KEY (parent=? AND state=?)");
        plan("RELEASES", "SCAN windrow_releases");
        plan("RELEASES_OF", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH r USING PRIMARY KEY (parent=?)");
        plan("RETRIES_OF", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH r USING PRIMARY KEY (parent=? AND state=?)");
        plan(
                "LEAVE_DEPENDENTS",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e EXISTS USING INDEX windrow_edges_parent (parent=?)");
        plan("MOVE_CHAIN_RETRY", "SEARCH windrow_releases USING PRIMARY KEY (parent=? AND state=?)");
        plan("NEXT_CANCELLED_CHILDREN", "SEARCH windrow_edges USING INDEX windrow_edges_parent (parent=? AND child>?)");
        plan(
                "CANCELLED_CHILDREN",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e USING INDEX windrow_edges_parent (parent=?)");
        plan(
                "FORBIDDING_PARENTS",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SATISFY_EDGE", "SEARCH windrow_edges USING PRIMARY KEY (child=? AND position=?)");
        plan("SUBTRACT_PARENTS", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("RELEASE", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_FOR_CHANGE",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("KEEP_WAIT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("BEGIN_WAIT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("DUE_WAITS", "SEARCH windrow_jobs USING INDEX windrow_jobs_wake (wake_at<?)");
        plan("NEXT_WAIT", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_wake (wake_at>?)");
        plan("COUNT_WAITS", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_wake (wake_at>?)");
        plan("COUNT_SUPERSEDED", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("SUPERSEDED", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("CANCEL", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("REQUEST_CANCEL", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("RETRY", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("FINISH_EXTERNALLY", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("TRIGGER", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LEAVE_LONG_BLOBS", "SEARCH windrow_blobs USING INDEX windrow_blobs_job (job_id=?)");
        plan(
                "DELETE",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_steps USING COVERING INDEX windrow_steps_position (job_id=?)",
                "SEARCH windrow_blobs USING COVERING INDEX windrow_blobs_job (job_id=?)",
                "SEARCH windrow_edges USING INDEX windrow_edges_parent (parent=?)",
                "SEARCH windrow_edges USING PRIMARY KEY (child=?)",
                "SEARCH windrow_events USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_log_lines USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_progress USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_attempts USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_tags USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_metadata USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_results USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_payloads USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_releases USING PRIMARY KEY (parent=?)");
        plan(
                "NEEDING_CHILD",
                "SEARCH e USING COVERING INDEX windrow_edges_parent (parent=?)",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "SUSPECTS",
                "SEARCH j USING INDEX windrow_jobs_lease (lease_until>?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH w USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH t USING PRIMARY KEY (job_id=?)");
        plan("STILL_SUSPECT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("ADD_COUNTER");
        plan("ADD_RETRY_COUNTER");
        plan("READ_SUMS", "SEARCH windrow_throughput USING PRIMARY KEY (length=? AND minute=? AND lane=?)");
        plan("ANNOUNCE");
        plan(
                "HELD_BY",
                "SCAN j USING INDEX windrow_jobs_lease",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH t USING PRIMARY KEY (job_id=?)");
        plan("WITHDRAW_EXPIRED", "SCAN windrow_workers");
        plan("WITHDRAW_PROCESS", "SCAN windrow_workers");
        plan("READ_WORKERS", "SCAN w");
        plan("READ_HELD", "SCAN j USING INDEX windrow_jobs_lease");
        plan("WITHDRAW", "SEARCH windrow_workers USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_JOB",
                "SEARCH e USING PRIMARY KEY (job_id=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_DETAILS",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_payloads USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_results USING INTEGER PRIMARY KEY (rowid=?)");
        plan("READ_TAGS", "SEARCH windrow_tags USING PRIMARY KEY (job_id=?)");
        plan("READ_DEPENDS_ON", "SEARCH e USING PRIMARY KEY (child=?)", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_DEPENDENTS",
                "SEARCH e USING INDEX windrow_edges_parent (parent=?)",
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "LIST_WORKFLOWS",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_workflow (workflow_id<?)",
                "SEARCH n USING COVERING INDEX windrow_jobs_workflow (workflow_id<?)",
                "SCAN w",
                "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH y USING COVERING INDEX windrow_jobs_workflow (workflow_id=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH x USING INDEX windrow_jobs_workflow (workflow_id=?)",
                "SCAN c",
                "SCAN s");
        plan("WORKFLOW_STATES", "SEARCH windrow_jobs USING INDEX windrow_jobs_workflow (workflow_id=?)");
        plan(
                "BATCH",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH e USING PRIMARY KEY (child=?) LEFT-JOIN",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_ATTEMPTS",
                "SEARCH t USING PRIMARY KEY (job_id=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND token=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH x USING INDEX sqlite_autoindex_windrow_attempt_texts_1 (job_id=? AND token=? AND kind=?)");
        plan(
                "READ_EVENTS",
                "SCAN log",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND token=?)",
                "SEARCH windrow_attempts USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_events USING PRIMARY KEY (job_id=?)");
        plan(
                "READ_OUTCOME",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_PARENTS",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "READ_LINKS",
                "SEARCH x USING INDEX sqlite_autoindex_windrow_attempt_texts_1 (job_id=?)",
                "SEARCH e USING PRIMARY KEY (child=? AND position<?)");
        plan("INSERT_AUDIT", "SEARCH windrow_audit_jobs USING PRIMARY KEY (audit_id=?)");
        plan("INSERT_AUDIT_JOBS");
        plan("INSERT_REVEALED_JOBS", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan("READ_AUDIT_TIME", "SEARCH windrow_audit USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_AUDIT",
                "SEARCH u USING INDEX windrow_audit_at (at>? AND at<?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_AUDIT_OF_ACTION",
                "SEARCH u USING INDEX windrow_audit_action (action=? AND at>? AND at<?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "READ_AUDIT_OF_ACTOR",
                "SEARCH a USING COVERING INDEX sqlite_autoindex_windrow_actors_1 (name=? AND instance=?)",
                "SEARCH u USING INDEX windrow_audit_actor (actor=? AND at>? AND at<?)");
        plan(
                "READ_AUDIT_OF_JOB",
                "SEARCH j USING COVERING INDEX windrow_audit_jobs_job (job_id=?)",
                "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "REDACT_METADATA",
                "SEARCH windrow_audit USING INTEGER PRIMARY KEY (rowid=?)",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH a USING COVERING INDEX windrow_audit_jobs_job (job_id=?)");
        plan(
                "CHAIN_MEMBERS",
                "SCAN f",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH n USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan("READ_AUDIT_JOBS", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH j USING PRIMARY KEY (audit_id=?)");
        plan("LIST_ALL", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid<?)");
        plan(
                "LIST_LANES",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING COVERING INDEX windrow_jobs_lane (lane=? AND rowid>? AND rowid<?)");
        plan("LANES", "SCAN windrow_lanes");
        plan("LIST_TAG", "SEARCH windrow_tags USING COVERING INDEX windrow_tags_tag (tag=? AND job_id<?)");
        plan(
                "LIST_DEDUPE_KEY",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_dedupe (dedupe_key=? AND rowid<?)");
        plan(
                "LIST_DEDUPE_KEY_UP",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_dedupe (dedupe_key=? AND rowid>?)");
        plan(
                "FIND_KEYED",
                "SEARCH j USING INDEX windrow_jobs_dedupe (dedupe_key=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SCAN json_each VIRTUAL TABLE INDEX 1:");
        plan(
                "LIST_WORKFLOW",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_workflow (workflow_id=? AND rowid<?)");
        plan("LIST_FAILED", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed (id<?)");
        plan(
                "LIST_FAILED_CODE",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed_code (error_code=? AND rowid<?)");
        plan("FAILED_CODES", "SCAN k", "SEARCH j USING COVERING INDEX windrow_jobs_failed_code (error_code>?)");
        plan(
                "LIST_FAILED_CODES",
                "SCAN f",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SCAN x VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed_code (error_code=? AND rowid<?)");
        plan(
                "LIST_FAILED_CODES_UP",
                "SCAN f",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SCAN x VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed_code (error_code=? AND rowid>?)");
        plan("LIST_CANCELLED", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_cancelled (id<?)");
        plan("LIST_BLOCKED", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_blocked (id<?)");
        plan("LIST_SCHEDULED", "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_due");
        plan(
                "LIST_PENDING",
                "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_claim",
                "SCAN windrow_permits USING COVERING INDEX windrow_permits_waiting");
        plan("LIST_RUNNING", "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_lease");
        plan("LIST_ALL_UP", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid>?)");
        plan(
                "LIST_LANES_UP",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING COVERING INDEX windrow_jobs_lane (lane=? AND rowid>? AND rowid<?)");
        plan("LIST_TAG_UP", "SEARCH windrow_tags USING COVERING INDEX windrow_tags_tag (tag=? AND job_id>?)");
        plan(
                "LIST_WORKFLOW_UP",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_workflow (workflow_id=? AND rowid>?)");
        plan("LIST_FAILED_UP", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed (id>?)");
        plan(
                "LIST_FAILED_CODE_UP",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed_code (error_code=? AND rowid>?)");
        plan("LIST_CANCELLED_UP", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_cancelled (id>?)");
        plan("LIST_BLOCKED_UP", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_blocked (id>?)");
        plan("LIST_SCHEDULED_UP", "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_due");
        plan(
                "LIST_PENDING_UP",
                "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_claim",
                "SCAN windrow_permits USING COVERING INDEX windrow_permits_waiting");
        plan("LIST_RUNNING_UP", "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_lease");
        plan("LIST_PARENT", "SEARCH windrow_edges USING COVERING INDEX windrow_edges_parent (parent=? AND child<?)");
        plan("LIST_PARENT_UP", "SEARCH windrow_edges USING COVERING INDEX windrow_edges_parent (parent=? AND child>?)");
        plan(
                "LIST_CHAIN",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan(
                "LIST_CHAIN_UP",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan("COUNT_SORTED", "SCAN c");
        plan(
                "SKIP",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid<?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
        plan(
                "SKIP_UP",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid>?)");
        plan(
                "FIRST_AT",
                "SCAN s",
                "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH search",
                "SEARCH windrow_jobs",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid>?)");
        plan(
                "MATCH",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SCAN x VIRTUAL TABLE INDEX 1:",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH e USING COVERING INDEX windrow_edges_parent (parent=? AND child=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH t USING PRIMARY KEY (job_id=? AND tag=?)");
        plan("PAYLOADS", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("METADATA", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("COUNTERS", "SCAN l USING COVERING INDEX windrow_lanes_type", "SEARCH c USING PRIMARY KEY (lane=?)");
        plan("COUNTED_LANES", "SCAN windrow_lanes");
        plan(
                "LANE_LAGS",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_claim (lane=?)",
                "SCAN head",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane=? AND priority<?)",
                "SEARCH head",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane=? AND priority=?)");
        plan(
                "OLDEST_RUNNING",
                "SCAN j USING INDEX windrow_jobs_lease",
                "SEARCH r USING INDEX windrow_jobs_lease",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH w USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "LIVE_RETRIES",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_retrying (used>?)",
                "SCAN f",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan("RETRIES", "SCAN c", "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "FAILURES",
                "SCAN windrow_failures",
                "SCAN most",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH f USING PRIMARY KEY (error_code=?)",
                "SEARCH j USING COVERING INDEX windrow_jobs_failed_code (error_code=?)");
        plan(
                "FAILURE_TREND",
                "SCAN f",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_failed_at (finished_at>?)");
        plan("ADD_FAILURES");
        plan("FORGET_FAILURES", "SCAN windrow_failures");
        plan("SUGGEST_TYPES", "SCAN k", "SEARCH t USING COVERING INDEX windrow_lanes_type (type>?)");
        plan("SUGGEST_QUEUES", "SCAN k", "SEARCH t USING COVERING INDEX sqlite_autoindex_windrow_lanes_1 (queue>?)");
        plan("SUGGEST_TAGS", "SCAN k", "SEARCH t USING COVERING INDEX windrow_tags_tag (tag>?)");
        plan("SUGGEST_CODES", "SEARCH windrow_failures USING PRIMARY KEY (error_code>?)");
        plan("SUGGEST_WORKERS", "SCAN windrow_workers");
        plan(
                "SUGGEST_SCHEDULES",
                "SEARCH windrow_schedules USING COVERING INDEX sqlite_autoindex_windrow_schedules_1 (name>?)");
        plan(
                "THROUGHPUT",
                "SEARCH m USING PRIMARY KEY (length=? AND minute>? AND minute<?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "WRONG_FAILURES",
                "SCAN c",
                "SCAN c LEFT-JOIN",
                "SCAN f",
                "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_failed_code");
        plan("LIVE_WORKERS", "SCAN windrow_workers");
        plan(
                "EXPLAIN",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH w USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SCAN (subquery-1)",
                "SEARCH e USING PRIMARY KEY (job_id=?)",
                "SEARCH t USING PRIMARY KEY (job_id=?)",
                "SEARCH s USING INDEX windrow_steps_position (job_id=?)");
        plan("EXPLAIN_PARENTS", "SEARCH e USING PRIMARY KEY (child=?)", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "EXPLAIN_LIMITS",
                "SCAN 3-ROW VALUES CLAUSE",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?)",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "EXPLAIN_HOLDERS",
                "SEARCH t USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "EXPLAIN_BEFORE",
                "SEARCH windrow_lanes USING INDEX sqlite_autoindex_windrow_lanes_1 (queue=?)",
                "SCAN l",
                "SCAN (subquery-3)",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane=? AND priority>?)",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane=? AND priority=? AND scheduled_at<?)");
        plan(
                "UNFINISHED",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH c USING PRIMARY KEY (lane=? AND state=?)",
                "SCAN t USING COVERING INDEX windrow_permits_waiting",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?)",
                "SEARCH p USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
                "SCAN json_each VIRTUAL TABLE INDEX 1:");
        plan(
                "UNFINISHED_FROM",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING COVERING INDEX windrow_jobs_claim (lane=? AND priority>?)",
                "SCAN j USING INDEX windrow_jobs_lease",
                "SCAN t USING COVERING INDEX windrow_permits_waiting",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?)",
                "SEARCH p USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH q USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
                "SCAN json_each VIRTUAL TABLE INDEX 1:");
        plan("LOWEST_READY", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_claim (lane=?)");
        plan(
                "RETRY_SCHEDULED",
                "SCAN windrow_jobs USING INDEX windrow_jobs_due",
                "SCAN json_each VIRTUAL TABLE INDEX 1:");
        plan("KEEP_CONCURRENCY_KEY", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("JOIN_KEY", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("AWAIT_PERMIT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("HAS_PERMIT", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("CHANGE_PERMIT", "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LEAVE", "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LEAVE_UNLESS_IN_SEQUENCE", "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan("READ_KEY", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan("WAKE_KEY", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan("DUE_KEYS", "SEARCH windrow_limits USING COVERING INDEX windrow_limits_wake (wakes_at<?)");
        plan(
                "COUNT_PERMITS",
                "SEARCH windrow_permits USING COVERING INDEX windrow_permits_granted (key=?)",
                "SCAN (subquery-1)");
        plan(
                "WAITING",
                "SEARCH t USING INDEX windrow_permits_waiting (key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan("GIVE_PERMIT", "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan("TAKE_PERMIT", "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "PERMITTED_READY",
                "SEARCH t USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "WAITING_KEYS",
                "SEARCH windrow_permits USING COVERING INDEX windrow_permits_waiting (key>?)",
                "SCAN k",
                "SEARCH t USING COVERING INDEX windrow_permits_waiting (key>?)",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?) LEFT-JOIN",
                "SEARCH p USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH h USING INDEX windrow_permits_waiting (key=?)");
        plan(
                "LIST_KEYS",
                "SEARCH windrow_permits USING COVERING INDEX windrow_permits_waiting",
                "SCAN k",
                "SCAN w",
                "SCAN x",
                "SCAN p",
                "SEARCH t USING COVERING INDEX windrow_permits_waiting (key>?)",
                "SEARCH windrow_limits USING PRIMARY KEY (kind=?)",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?) LEFT-JOIN",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH p USING COVERING INDEX windrow_permits_waiting (key=?)",
                "SEARCH p USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH h USING INDEX windrow_permits_waiting (key=?)",
                "SEARCH h USING INDEX windrow_permits_granted (key=?)");
        plan(
                "PERMIT_HOLDERS",
                "SCAN k VIRTUAL TABLE INDEX 1:",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH t USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "UNFINISHED_KEYS",
                "SEARCH c USING PRIMARY KEY (kind=?)",
                "SEARCH p USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH t USING COVERING INDEX windrow_permits_granted (key=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan("CANDIDATES", "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_claim (lane=? AND priority>?)");
        plan(
                "CHOSEN_JOBS",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("SET_NEXT_START", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan("READ_LIMITS", "SCAN c", "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("LIMIT_PAUSE");
        plan("LIMIT_RESUME", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan("LIMIT_RUNNING");
        plan("LIMIT_RATE");
        plan("LIMIT_FORGET", "SEARCH windrow_limits USING PRIMARY KEY (kind=? AND name=?)");
        plan("LANES_TO_LIMIT", "SCAN c", "SCAN l USING INDEX sqlite_autoindex_windrow_lanes_1");
        plan("CHECK_INTEGRITY");
        plan("CHECK_INTEGRITY_QUICKLY");
        plan("CHECK_FOREIGN_KEYS");
        plan("JOURNAL_MODE");
        plan("AUTO_VACUUM");
        plan("PAGE_SIZE");
        plan(
                "ORPHANS",
                "SCAN a",
                "SCAN d USING COVERING INDEX windrow_edges_parent",
                "SCAN e",
                "SCAN g",
                "SCAN k",
                "SCAN m",
                "SCAN o",
                "SCAN p",
                "SCAN r",
                "SCAN s USING COVERING INDEX windrow_steps_position",
                "SCAN t USING COVERING INDEX windrow_tags_tag",
                "SCAN x",
                "SEARCH a USING PRIMARY KEY (job_id=? AND token=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan(
                "DOUBTFUL_LEASES",
                "SCAN j USING INDEX windrow_jobs_lease",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
                "SEARCH w USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN");
        plan("LIVING", "SCAN windrow_workers");
        plan("COUNT_JOBS", "SCAN windrow_jobs USING INDEX windrow_jobs_lane");
        plan("WRONG_OPEN_PARENTS", "SCAN j", "SEARCH e USING PRIMARY KEY (child=?)");
        plan(
                "WRONG_EDGES",
                "SCAN e",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH r USING PRIMARY KEY (parent=?)");
        plan(
                "WAITS",
                "SCAN c USING COVERING INDEX windrow_jobs_blocked",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH p USING COVERING INDEX windrow_jobs_blocked (id=? AND rowid=?)",
                "SCAN up");
        plan("WRONG_RELEASES", "SCAN r", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "CONTRADICTIONS",
                "SCAN windrow_jobs",
                "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH e USING PRIMARY KEY (job_id=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH k USING PRIMARY KEY (type=? AND key=?)",
                "SEARCH s USING INDEX windrow_steps_position (job_id=?)",
                "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
        plan("WRONG_EVENTS", "SCAN e", "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan("WRONG_ATTEMPTS", "SCAN t", "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)");
        plan("UNLOGGED_FAILURES", "SCAN t", "SEARCH e USING PRIMARY KEY (job_id=?)");
    }

    /** The statements of a diagnosis. They read whole tables, on purpose, on a connection of their own and without a deadline. */
    private static final Set<String> DIAGNOSIS = Set.of(
            "CHECK_INTEGRITY",
            "CHECK_INTEGRITY_QUICKLY",
            "CHECK_FOREIGN_KEYS",
            "JOURNAL_MODE",
            "AUTO_VACUUM",
            "PAGE_SIZE",
            "ORPHANS",
            "WRONG_BLOBS",
            "DOUBTFUL_LEASES",
            "LIVING",
            "COUNT_JOBS",
            "WRONG_OPEN_PARENTS",
            "WAITS",
            "WRONG_EDGES",
            "WRONG_RELEASES",
            "CONTRADICTIONS",
            "LANES_TO_LIMIT",
            "WRONG_FAILURES",
            "WRONG_EVENTS",
            "WRONG_ATTEMPTS",
            "UNLOGGED_FAILURES");

    @TempDir
    Path folder;

    private static void plan(String constant, String... steps) {
        PLANS.put(constant, new TreeSet<>(List.of(steps)));
    }

    /** Returns all statements by the names of their constants. */
    public static Map<String, String> statements() throws ReflectiveOperationException {
        Map<String, String> statements = new TreeMap<>();
        for (Class<?> constants : List.of(
                JobSql.class,
                DedupeSql.class,
                PermitSql.class,
                LimitSql.class,
                WorkflowSql.class,
                StepSql.class,
                ScheduleSql.class,
                BlobSql.class,
                MetadataSql.class,
                ReadSql.class,
                ListSql.class,
                StatisticsSql.class,
                CounterSql.class,
                RegistrySql.class,
                SchemaSql.class,
                TransactionSql.class,
                CheckSql.class)) {
            for (Field field : constants.getDeclaredFields()) {
                if (field.getType() == String.class) {
                    field.setAccessible(true);
                    assertThat(statements.put(field.getName(), (String) field.get(null)))
                            .as("another %s", field.getName())
                            .isNull();
                }
            }
        }
        return statements;
    }

    /** Returns the steps by which the statement finds its rows: searches and scans, in no order. */
    public static Set<String> steps(TestDatabase database, String sql) throws SQLException {
        return database.rows("EXPLAIN QUERY PLAN " + sql).stream()
                .map(row -> row.split("[|]", 4)[3])
                .filter(step ->
                        step.startsWith("SEARCH") || (step.startsWith("SCAN") && !step.endsWith("CONSTANT ROW")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void everyStatementHasItsPlan(TestDatabase database) throws Exception {
        everyStatementHasItsPlan(database, Tables.DEFAULT);
    }

    private static void everyStatementHasItsPlan(TestDatabase database, Tables tables) throws Exception {
        Map<String, String> statements = statements();
        assertThat(PLANS.keySet()).as("a plan for each statement, no other").isEqualTo(statements.keySet());
        Map<String, Set<String>> others = new TreeMap<>();
        for (Map.Entry<String, String> statement : statements.entrySet()) {
            Set<String> steps = steps(database, tables.translate(statement.getValue()));
            if (!steps.equals(PLANS.get(statement.getKey()).stream()
                    .map(tables::translate)
                    .collect(Collectors.toSet()))) {
                others.put(statement.getKey(), steps);
            }
        }
        assertThat(others).as("statements with another plan").isEmpty();
    }

    @Test
    void everyStatementFindsItsRowsByItsIntendedIndex() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            everyStatementHasItsPlan(database);
            viewsFindTheRowsOfAJobByKeys(database);
        }
    }

    /** The rows of a job in a view of its history are a union of searches. Only that union may be scanned. */
    private static void viewsFindTheRowsOfAJobByKeys(TestDatabase database) throws SQLException {
        Map<String, List<String>> scans = Map.of(
                "windrow_job_view WHERE id", List.of(),
                "windrow_attempt_view WHERE job_id", List.of("SCAN t"),
                "windrow_event_view WHERE job_id", List.of("SCAN e"));
        for (String view : scans.keySet()) {
            assertThat(database.rows("EXPLAIN QUERY PLAN SELECT * FROM " + view + " = ?1").stream()
                            .map(row -> row.split("[|]", 4)[3])
                            .filter(step -> step.startsWith("SCAN") || step.contains("AUTOMATIC")))
                    .as(view)
                    .isEqualTo(scans.get(view));
        }
    }

    @Test
    void thePlansAreTheSameOnTablesWithAPrefix() throws Exception {
        Path file = folder.resolve("jobs.db");
        new StoreDriver(SqliteStore.configure(file).tablePrefix("shop_").build(), new ManualTime()).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            everyStatementHasItsPlan(database, new Tables("shop_"));
        }
    }

    @Test
    void thePlansStayTheSameWhenTheFileIsFullAndAnalyzed() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            history(store, 20_000);
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("ANALYZE");
            everyStatementHasItsPlan(database);
            viewsFindTheRowsOfAJobByKeys(database);
        }
    }

    @Test
    void noStatementScansATableThatGrowsWithTheJobs() {
        // Schedules (s) are as many as users have written. Of the audit (u) the end is read. Keys and names (k) are
        // stepped through, and permits (p) are counted only up to a limit. Of a walk along edges (up) each step is read
        // once. The log of a job is a union of searches.
        // The parameters of the statement are w and x, and part has as many rows as the parameter says. A subquery has
        // a limit.
        Set<String> small = Set.of(
                "l",
                "c",
                "w",
                "x",
                "p",
                "u",
                "s",
                "windrow_schedules",
                "k",
                "head",
                "log",
                "up",
                "(subquery-1)",
                "(subquery-3)",
                "3-ROW",
                "windrow_workers",
                "windrow_lanes",
                "windrow_limits",
                "windrow_releases",
                "windrow_failures",
                "f",
                "most",
                "b",
                "json_each");
        PLANS.forEach((constant, steps) -> steps.stream()
                .filter(step -> step.startsWith("SCAN") && !DIAGNOSIS.contains(constant))
                .forEach(step -> assertThat(small.contains(step.split(" ", 3)[1])
                                || step.contains("INDEX windrow_jobs_")
                                || step.contains("INDEX windrow_permits_waiting"))
                        .as("%s: %s", constant, step)
                        .isTrue()));
    }

    /** Makes jobs in all states, in four lanes, with parents, tags and payloads. */
    private static void history(StoreDriver store, int jobs) {
        for (int i = 0; i < jobs / 1000; i++) {
            store.enqueueAll(Collections.nCopies(
                    900, NewRow.of("q", "old" + i % 3).payload("{}").tags("tag" + i)));
            store.enqueueAll(Collections.nCopies(80, NewRow.of("q", "old3").delay(Duration.ofDays(1))));
            long parent = store.enqueue(NewRow.of("q", "old3"));
            store.enqueueAll(Collections.nCopies(
                    19, NewRow.of("q", "old3").after(parent, dev.windrow.workflow.ParentPolicy.WAIT)));
            List<ClaimedJob> claimed = store.claim(
                            StoreDriver.request("w" + i, Set.of("q"), Set.of("old0", "old1", "old2"), 800))
                    .jobs();
            for (int n = 0; n < claimed.size(); n++) {
                Transition end =
                        n % 4 == 0 ? Transition.FAIL : n % 9 == 0 ? Transition.CANCEL_RUNNING : Transition.COMPLETE;
                if (n % 100 != 0) {
                    // Completed together with the claim of the next round.
                    var unused = store.store().submit(store.settlement(claimed.get(n), end));
                }
            }
        }
        assertThat(store.store().submit(new Touch())).succeedsWithin(Duration.ofSeconds(60));
    }

    /** Failure class 11. */
    @Test
    void failedFutureAndForeignJobsDoNotSlowTheClaim() throws Exception {
        Path few = folder.resolve("few.db");
        Path many = folder.resolve("many.db");
        try (StoreDriver store = Stores.open(few)) {
            store.enqueueAll(Collections.nCopies(50, NewRow.job()));
        }
        try (StoreDriver store = Stores.open(many)) {
            history(store, 20_000);
            store.enqueueAll(Collections.nCopies(50, NewRow.job()));
            assertThat(store.count(JobState.FAILED)).isGreaterThan(3000);
            assertThat(store.count(JobState.SCHEDULED)).isGreaterThan(1500);
        }
        long stepsAmongFew = stepsOfAClaim(few);
        long stepsAmongMany = stepsOfAClaim(many);
        assertThat(stepsAmongFew).isPositive();
        assertThat(stepsAmongMany)
                .as("steps of SQLite's machine, among 50 jobs %d", stepsAmongFew)
                .isLessThanOrEqualTo(stepsAmongFew + stepsAmongFew / 10);
    }

    /** Counts the steps of SQLite's virtual machine in which a claim finds ten jobs. */
    private static long stepsOfAClaim(Path file) throws SQLException {
        try (TestDatabase database = TestDatabase.open(file)) {
            String lane = database.one("SELECT id FROM windrow_lanes WHERE type = 't'");
            database.execute("BEGIN IMMEDIATE");
            long[] steps = {0};
            try (var claim = database.connection().prepareStatement(JobSql.NEXT_JOBS)) {
                claim.setString(1, "[" + lane + "]");
                claim.setInt(2, 10);
                claim.setInt(3, Short.MIN_VALUE);
                SQLiteConnection connection = database.connection().unwrap(SQLiteConnection.class);
                ProgressHandler.setHandler(connection, 1, new ProgressHandler() {
                    @Override
                    protected int progress() {
                        steps[0]++;
                        return 0;
                    }
                });
                int claimed = 0;
                try (var rows = claim.executeQuery()) {
                    while (rows.next()) {
                        claimed++;
                    }
                }
                ProgressHandler.clearHandler(connection);
                assertThat(claimed).isEqualTo(10);
            }
            database.execute("ROLLBACK");
            return steps[0];
        }
    }
}
