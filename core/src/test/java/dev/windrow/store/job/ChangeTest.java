package dev.windrow.store.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobState;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The conditions that a change by filter checks again when it reaches a job. */
class ChangeTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    private static Change retry(JobFilter filter) {
        return Change.byFilter(Change.Verb.RETRY, filter, "anna").build();
    }

    @Test
    void aJobThatHasSinceFailedWithAnotherCodeIsSkipped() {
        Change change = retry(JobFilter.inState(JobState.FAILED).withErrorCode("A:B"));
        assertThat(change.stillMatches(JobState.FAILED, "A:B", 1L)).isTrue();
        assertThat(change.stillMatches(JobState.FAILED, "A:C", 1L)).isFalse();
        assertThat(change.stillMatches(JobState.FAILED, null, 1L)).isFalse();
        assertThat(change.stillMatches(JobState.CANCELLED, "A:B", 1L)).isFalse();
        assertThat(change.stillMatches(JobState.PENDING, "A:B", null)).isFalse();
    }

    @Test
    void aJobThatHasSinceFailedWithAnotherCodeOfTheCategoryStillMatches() {
        Change change = retry(JobFilter.failed().withErrorCode("A:*"));
        assertThat(change.stillMatches(JobState.FAILED, "A:C", 1L)).isTrue();
        assertThat(change.stillMatches(JobState.FAILED, "AB:C", 1L)).isFalse();
        assertThat(change.stillMatches(JobState.FAILED, null, 1L)).isFalse();
    }

    @Test
    void aJobThatHasSinceEndedAgainIsSkipped() {
        Change change = retry(JobFilter.inState(JobState.FAILED).withFinishedBefore(NOON));
        assertThat(change.stillMatches(JobState.FAILED, "A:B", NOON.toEpochMilli() - 1))
                .isTrue();
        assertThat(change.stillMatches(JobState.FAILED, "A:B", NOON.toEpochMilli()))
                .isFalse();
        assertThat(change.stillMatches(JobState.FAILED, "A:B", null)).isFalse();
    }

    @Test
    void jobsNamedByIdAreNotCheckedAgain() {
        assertThat(Change.of(Change.Verb.CANCEL, List.of(1L), "anna").stillMatches(JobState.PENDING, null, null))
                .isTrue();
    }

    @Test
    void onlyARetryIncludesDependents() {
        for (Change.Verb verb : Change.Verb.values()) {
            boolean refused = false;
            try {
                Change unused = Change.byId(verb, List.of(1L), "anna")
                        .metadata(verb == Change.Verb.MERGE_METADATA ? Metadata.none() : null)
                        .withDependents(true)
                        .build();
            } catch (IllegalArgumentException e) {
                refused = true;
            }
            assertThat(refused).as(verb.name()).isEqualTo(verb != Change.Verb.RETRY);
        }
    }

    @Test
    void metadataAreChangedByTheirVerbOnlyAndForOneJob() {
        assertThatThrownBy(() -> Change.byId(Change.Verb.CANCEL, List.of(1L), "anna")
                        .metadata(Metadata.none())
                        .build())
                .hasMessageContaining("not allowed for CANCEL");
        assertThatThrownBy(() -> Change.of(Change.Verb.MERGE_METADATA, List.of(1L), "anna"))
                .hasMessageContaining("metadata are required");
        assertThatThrownBy(() -> Change.byId(Change.Verb.MERGE_METADATA, List.of(1L, 2L), "anna")
                        .metadata(Metadata.none())
                        .build())
                .hasMessageContaining("one job by its id");
        assertThatThrownBy(() -> Change.byFilter(Change.Verb.MERGE_METADATA, JobFilter.ALL, "anna")
                        .metadata(Metadata.none())
                        .build())
                .hasMessageContaining("one job by its id");
        assertThatThrownBy(() -> Change.byId(Change.Verb.CANCEL, List.of(1L), "anna")
                        .holder(new LeaseToken(1, 1))
                        .build())
                .hasMessageContaining("not allowed for CANCEL");
    }
}
