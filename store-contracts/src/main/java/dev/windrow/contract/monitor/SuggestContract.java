package dev.windrow.contract.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.SuggestField;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The names that a store suggests for the beginning of one. */
public abstract class SuggestContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected SuggestContract() {}

    private List<String> suggest(SuggestField field, String prefix) {
        return store().store().suggest(field, prefix, 20);
    }

    @Test
    void anEmptyStoreSuggestsNothing() {
        for (SuggestField field : SuggestField.values()) {
            assertThat(suggest(field, "")).isEmpty();
            assertThat(suggest(field, "a")).isEmpty();
        }
    }

    @Test
    void typesAndQueuesAreSuggestedOnceAndInOrder() {
        store().enqueueAll(
                        NewRow.of("mail", "mail.send"),
                        NewRow.of("mail", "mail.bounce"),
                        NewRow.of("mailing", "mail.send"),
                        NewRow.of("images", "Mail.send"),
                        NewRow.of("x", "maip"));
        assertThat(suggest(SuggestField.TYPE, "mail")).containsExactly("mail.bounce", "mail.send");
        assertThat(suggest(SuggestField.TYPE, "")).containsExactly("Mail.send", "mail.bounce", "mail.send", "maip");
        assertThat(suggest(SuggestField.TYPE, "mail.send")).containsExactly("mail.send");
        assertThat(suggest(SuggestField.TYPE, "mail.sendx")).isEmpty();
        assertThat(suggest(SuggestField.QUEUE, "mail")).containsExactly("mail", "mailing");
        assertThat(suggest(SuggestField.QUEUE, "")).containsExactly("images", "mail", "mailing", "x");
        assertThat(suggest(SuggestField.QUEUE, "l")).isEmpty();
    }

    @Test
    void aPrefixIsLiteralText() {
        for (String tag : List.of(
                "50%", "50x", "a_b", "axb", "a*", "a?", "a\\", "[a]", "é", "e", "\uD83D\uDE00 smile", "\uFFFDz")) {
            store().enqueue(NewRow.job().tags(tag));
        }
        assertThat(suggest(SuggestField.TAG, "50%")).containsExactly("50%");
        assertThat(suggest(SuggestField.TAG, "a_")).containsExactly("a_b");
        assertThat(suggest(SuggestField.TAG, "a*")).containsExactly("a*");
        assertThat(suggest(SuggestField.TAG, "a?")).containsExactly("a?");
        assertThat(suggest(SuggestField.TAG, "a\\")).containsExactly("a\\");
        assertThat(suggest(SuggestField.TAG, "[")).containsExactly("[a]");
        assertThat(suggest(SuggestField.TAG, "e")).containsExactly("e");
        assertThat(suggest(SuggestField.TAG, "é")).containsExactly("é");
        assertThat(suggest(SuggestField.TAG, "\uD83D\uDE00")).containsExactly("\uD83D\uDE00 smile");
        assertThat(suggest(SuggestField.TAG, "' OR 1=1 --")).isEmpty();
        assertThat(suggest(SuggestField.TAG, "\uFFFD")).as("the order of bytes").containsExactly("\uFFFDz");
    }

    @Test
    void aLimitTakesTheFirstNames() {
        store().enqueueAll(IntStream.range(0, 150)
                .mapToObj(i -> NewRow.job().tags("tag%03d".formatted(i), "customer"))
                .toList());
        assertThat(store().store().suggest(SuggestField.TAG, "tag", 100))
                .hasSize(100)
                .startsWith("tag000", "tag001")
                .endsWith("tag099");
        assertThat(store().store().suggest(SuggestField.TAG, "tag14", 1)).containsExactly("tag140");
        assertThat(store().store().suggest(SuggestField.TAG, "tag14", 10)).hasSize(10);
        assertThat(store().store().suggest(SuggestField.TAG, "", 2)).containsExactly("customer", "tag000");
    }

    @Test
    void errorCodesAreThoseOfFailedJobs() {
        store().enqueueAll(Collections.nCopies(3, NewRow.job()));
        List<ClaimedJob> jobs = store().claim(3);
        store().settle(jobs.get(0), Transition.FAIL);
        store().change(Verb.FAIL, store().enqueue(NewRow.job()));
        assertThat(suggest(SuggestField.ERROR_CODE, "TEST:")).containsExactly("TEST:FAILED", "TEST:OUTSIDE");
        assertThat(suggest(SuggestField.ERROR_CODE, "TEST:F")).containsExactly("TEST:FAILED");
        assertThat(suggest(SuggestField.ERROR_CODE, "test")).isEmpty();
        store().change(Verb.RETRY, jobs.get(0).id());
        assertThat(suggest(SuggestField.ERROR_CODE, "")).containsExactly("TEST:OUTSIDE");
    }

    @Test
    void workersAndSchedulesAreSuggested() {
        for (WorkerId worker :
                List.of(new WorkerId("web-1", "1"), new WorkerId("web-1", "2"), new WorkerId("batch", "1"))) {
            Object unused = StoreDriver.answer(store().store()
                    .submit(new Announce(new WorkerRow(
                            worker,
                            new WorkerRow.WorkerProcess("host", 4711, "here/4711", "0.1"),
                            new WorkerRow.Work(Set.of("q"), Set.of("t"), 4),
                            StoreDriver.LEASE.toMillis(),
                            0))));
        }
        assertThat(suggest(SuggestField.WORKER, "web")).containsExactly("web-1");
        assertThat(suggest(SuggestField.WORKER, "")).containsExactly("batch", "web-1");
        for (String name : List.of("nightly", "night", "hourly")) {
            StoreDriver.answer(store().store()
                    .submit(new ScheduleChange(
                            ScheduleChange.Verb.SCHEDULE,
                            name,
                            "anna",
                            new ScheduleRow.Definition(
                                    name,
                                    NewRow.job().row(),
                                    new Timing(null, null, 60_000L, null),
                                    Misfire.ONCE,
                                    Overlap.ALLOW),
                            null)));
        }
        assertThat(suggest(SuggestField.SCHEDULE, "night")).containsExactly("night", "nightly");
        assertThat(suggest(SuggestField.SCHEDULE, "")).containsExactly("hourly", "night", "nightly");
    }
}
