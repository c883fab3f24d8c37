package dev.windrow.examples;

import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A batch: a hundred pictures are made smaller, in parallel. When all jobs have ended, with or without success, a callback reports the result. */
public final class Batches {
    record Picture(int number) {}

    record Small(int number, int bytes) {}

    record Album(int bytes, List<String> missing) {}

    static final JobType<Picture, Small> SHRINK =
            JobType.of("album.shrink", Picture.class, Small.class).withMaxAttempts(2);
    static final JobType<Void, Album> BIND = JobType.of("album.bind", Void.class, Album.class);

    private Batches() {}

    /** The result of the callback, and the progress of the batch before and after. */
    record Outcome(Album album, BatchProgress before, BatchProgress after) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) {
        List<JobRequest<Picture, Small>> pictures = new ArrayList<>();
        for (int number = 1; number <= 100; number++) {
            pictures.add(SHRINK.job(new Picture(number)).withName("picture " + number));
        }
        Workflow flow = new Workflow();
        Workflow.Batch<Album> batch = flow.batch(pictures, BIND.job());
        JobRef<Album> callback = windrow.submit(flow).job(batch); // one transaction for all of them
        BatchProgress before = say(windrow.job(callback).batch());

        try (Worker worker = windrow.worker()
                .concurrency(4)
                .handle(SHRINK, (picture, job) -> shrink(picture))
                .handle(BIND, Batches::bind)
                .start()) {
            System.out.println(worker.name() + " works");
            Album album = Objects.requireNonNull(windrow.await(callback, ofSeconds(30)));
            return new Outcome(album, before, say(windrow.job(callback).batch()));
        }
    }

    private static BatchProgress say(BatchProgress progress) {
        System.out.printf(
                Locale.ROOT,
                "%d of %d pictures (%.0f %%), %d without success%n",
                progress.ended(),
                progress.jobs(),
                100 * progress.fraction(),
                progress.unsuccessful());
        return progress;
    }

    static Small shrink(Picture picture) throws JobFailure {
        if (picture.number() == 13) {
            throw JobFailure.permanent("PICTURE:BROKEN", "no picture is in the file");
        }
        return new Small(picture.number(), 1000 + picture.number());
    }

    private static Album bind(@Nullable Void nothing, JobContext job) {
        int bytes = 0;
        List<String> missing = new ArrayList<>();
        for (ParentOutcome parent : job.parents()) {
            if (parent.state() == JobState.COMPLETED) {
                bytes += job.result(parent, SHRINK).bytes();
            } else {
                missing.add("job " + parent.state() + ": " + parent.errorCode());
            }
        }
        return new Album(bytes, missing);
    }
}
