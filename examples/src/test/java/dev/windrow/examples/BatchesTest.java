package dev.windrow.examples;

import static dev.windrow.examples.Batches.SHRINK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.examples.Batches.Picture;
import dev.windrow.examples.Batches.Small;
import dev.windrow.testkit.CallContext;
import dev.windrow.testkit.Outcome;
import dev.windrow.testkit.WindrowTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One handler of the batch, alone. */
class BatchesTest {
    @RegisterExtension
    final WindrowTest test = WindrowTest.manual();

    private Outcome<Small> shrink(int number) {
        return test.call(
                (picture, job) -> Batches.shrink(picture),
                new Picture(number),
                CallContext.of(SHRINK).withOptions(job -> job.withName("picture " + number)));
    }

    @Test
    void aPictureBecomesSmall() {
        assertThat(shrink(7).result()).isEqualTo(new Small(7, 1007));
    }

    @Test
    void aBrokenPictureFailsWithoutAnotherAttempt() {
        Outcome<Small> outcome = shrink(13);
        assertThat(outcome.info().state()).isEqualTo(JobState.FAILED);
        assertThat(outcome.info().errorCode()).isEqualTo("PICTURE:BROKEN");
    }
}
