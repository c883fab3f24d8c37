package dev.windrow.contract.workflow;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowInfo;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The listing of workflows, with the states of their jobs. */
public abstract class WorkflowListContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected WorkflowListContract() {}

    /** Returns the id of a new workflow of these jobs. */
    private long workflow(NewRow... rows) {
        List<NewRow> members = new ArrayList<>();
        for (NewRow row : rows) {
            members.add(row.inWorkflow());
        }
        List<Long> jobs = store().enqueueAll(members);
        return requireNonNull(store().job(jobs.get(0)).workflow());
    }

    private static NewRow row(String type) {
        return NewRow.of("q", type);
    }

    private ClaimedJob claimOf(String type) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs()
                .get(0);
    }

    private WorkflowPage page(WorkflowFilter filter) {
        return store().store().workflows(filter, Long.MAX_VALUE, 50);
    }

    private List<Long> ids(WorkflowFilter filter) {
        return page(filter).workflows().stream().map(WorkflowInfo::id).toList();
    }

    @Test
    void aWorkflowIsListedWithItsFirstJobAndTheStatesOfAll() {
        long id = workflow(
                row("a").name("the first"),
                row("b").afterPlace(0, ParentPolicy.WAIT),
                row("b").delay(Duration.ofHours(1)),
                row("c"));
        store().enqueue(row("d"));
        time.advance(Duration.ofMinutes(1));
        store().complete(claimOf("a"));
        store().settle(claimOf("c"), Transition.FAIL);
        WorkflowInfo listed = page(WorkflowFilter.ALL).workflows().get(0);
        assertThat(page(WorkflowFilter.ALL).workflows()).hasSize(1);
        assertThat(listed.id()).isEqualTo(id);
        assertThat(listed.type()).isEqualTo("a");
        assertThat(listed.name()).isEqualTo("the first");
        assertThat(listed.createdAt()).isEqualTo(time.now().minus(Duration.ofMinutes(1)));
        assertThat(listed.status())
                .isEqualTo(new WorkflowStatus(
                        id,
                        Map.of(
                                JobState.COMPLETED,
                                1L,
                                JobState.FAILED,
                                1L,
                                JobState.PENDING,
                                1L,
                                JobState.SCHEDULED,
                                1L)))
                .isEqualTo(new WorkflowStatus(id, store().store().workflow(id)));
        assertThat(listed.isCapped()).isFalse();
    }

    @Test
    void theFirstJobIsTheOldestThatExists() {
        long id = workflow(row("a"), row("b"));
        ClaimedJob first = claimOf("a");
        store().complete(first);
        store().change(Verb.DELETE, first.id());
        assertThat(page(WorkflowFilter.ALL).workflows())
                .extracting(WorkflowInfo::id, WorkflowInfo::type)
                .containsExactly(tuple(id, "b"));
    }

    @Test
    void workflowsAreFilteredByTheirJobs() {
        long waits = workflow(row("a"), row("b"));
        store().complete(claimOf("a"));
        long done = workflow(row("c"));
        store().complete(claimOf("c"));
        long failed = workflow(row("d"));
        store().settle(claimOf("d"), Transition.FAIL);
        long both = workflow(row("d"), row("e"));
        store().settle(claimOf("d"), Transition.FAIL);
        assertThat(ids(WorkflowFilter.ALL)).containsExactly(both, failed, done, waits);
        assertThat(ids(WorkflowFilter.ALL.withUnfinished())).containsExactly(both, waits);
        assertThat(ids(WorkflowFilter.ALL.withFailed())).containsExactly(both, failed);
        assertThat(ids(WorkflowFilter.ALL.withFailed().withUnfinished())).containsExactly(both);
        assertThat(ids(WorkflowFilter.ALL.withType("d").withUnfinished())).containsExactly(both);
        WorkflowPage page = page(WorkflowFilter.ALL.withType("b"));
        assertThat(page.workflows()).isEmpty();
        assertThat(page.looked()).isEqualTo(4);
        assertThat(page.next()).isNull();
    }

    @Test
    void pagesNeitherRepeatNorHideAWorkflow() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 23; i++) {
            all.add(workflow(row("a"), row("b")));
        }
        Collections.reverse(all);
        for (WorkflowFilter filter : List.of(WorkflowFilter.ALL, WorkflowFilter.ALL.withType("a"))) {
            for (int limit : List.of(1, 2, 7, 22, 23, 24)) {
                List<Long> seen = new ArrayList<>();
                Long next = Long.MAX_VALUE;
                while (next != null) {
                    WorkflowPage page = store().store().workflows(filter, next, limit);
                    assertThat(page.workflows()).hasSizeLessThanOrEqualTo(limit);
                    page.workflows().forEach(workflow -> seen.add(workflow.id()));
                    next = page.next();
                }
                assertThat(seen).as("pages of %d", limit).isEqualTo(all);
            }
        }
        workflow(row("c"));
        assertThat(store().store().workflows(WorkflowFilter.ALL, all.get(2), 50).workflows())
                .extracting(WorkflowInfo::id)
                .isEqualTo(all.subList(3, 23));
    }

    @Test
    void aPageEndsAfterFiveThousandWorkflowsThatDoNotMatch() {
        Enqueue one = new Enqueue(List.of(row("a").inWorkflow().row()));
        List<CompletableFuture<List<EnqueuedJob>>> enqueued = new ArrayList<>();
        for (int i = 0; i < 5003; i++) {
            enqueued.add(store().store().submit(one));
        }
        enqueued.forEach(StoreDriver::answer);
        WorkflowFilter other = WorkflowFilter.ALL.withType("b");
        WorkflowPage page = page(other);
        assertThat(page.looked()).isEqualTo(5000);
        page = store().store().workflows(other, requireNonNull(page.next()), 50);
        assertThat(page).isEqualTo(new WorkflowPage(List.of(), null, 3));
    }

    @Test
    void ofAVeryLargeWorkflowTheNewestJobsAreCounted() {
        NewRow[] rows = new NewRow[WorkflowInfo.MAX_COUNTED + 20];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(i < 30 ? "old" : "new");
        }
        long id = workflow(rows);
        store().claim(StoreDriver.request("w", Set.of("q"), Set.of("old"), 30));
        WorkflowInfo large = page(WorkflowFilter.ALL).workflows().get(0);
        assertThat(large.id()).isEqualTo(id);
        assertThat(large.type()).isEqualTo("old");
        assertThat(large.isCapped()).isTrue();
        assertThat(large.status().jobs()).isEqualTo(WorkflowInfo.MAX_COUNTED);
        assertThat(large.status().count(JobState.RUNNING)).isEqualTo(10);
    }
}
