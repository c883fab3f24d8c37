package dev.windrow.cli.transfer;

import dev.windrow.schedule.Schedule;
import java.util.function.Consumer;

/** A kind of queue from which jobs are imported: reads rows of its tables as jobs. */
interface ForeignQueue {
    /** Returns the name of the system on the command line. */
    String system();

    /** Returns the tag of its imported jobs. */
    default String tag() {
        return "import:" + system();
    }

    /** Throws if the file is not of this kind, or has a schema that cannot be read. */
    void check(ForeignFile file);

    /** Returns the statement that reads the jobs, in the order in which they run if nothing else determines it. */
    String jobs();

    /**
     * Returns the id of a job in its system.
     *
     * @throws dev.windrow.InvalidRequestException if it has none
     */
    String id(Row row);

    /**
     * Returns the state of a job.
     *
     * @throws dev.windrow.InvalidRequestException if the state is unknown
     */
    ForeignState state(Row row);

    /**
     * Returns a job.
     *
     * @throws dev.windrow.InvalidRequestException if it cannot be imported; the message is the reason in the report
     */
    ForeignJob job(Row row);

    /** True if jobs depend on each other. */
    default boolean hasParents() {
        return false;
    }

    /** Reads the schedules. An {@link dev.windrow.InvalidRequestException} is the reason why one cannot be imported. */
    default void schedules(ForeignFile file, Consumer<Schedule> found, Consumer<String> skipped) {}
}
