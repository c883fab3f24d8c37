package dev.windrow.store.monitor;

import dev.windrow.store.Author;
import dev.windrow.store.Command;
import java.util.List;
import java.util.Map;

/**
 * Writes the {@link dev.windrow.monitor.AuditEntry} of a person who was shown confidential values. It changes no job.
 *
 * @param jobs the jobs; empty if none is named
 * @param detail what else the entry says, by its names
 * @param author the person, and the reason
 */
public record RecordReveal(List<Long> jobs, Map<String, String> detail, Author author) implements Command<Void> {
    /** The verb of the entry. */
    public static final String ACTION = "REVEAL";

    @Override
    public String actor() {
        return author.actor();
    }

    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "recording a reveal in the audit";
    }
}
