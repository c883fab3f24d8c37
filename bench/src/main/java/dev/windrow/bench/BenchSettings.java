package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The measurements and their sizes.
 *
 * @param jobs jobs of a run of the throughput measurements; the others take at most as many
 * @param slots slots of each worker
 * @param payloadBytes length of each payload, as JSON text, from 2
 * @param durability the event that each commit survives, on files; a server has its own settings
 * @param rows finished jobs in the larger database of {@link Section#CLAIM_FLATNESS} and {@link Section#SCALE}
 * @param sections the measurements to run
 * @param url the JDBC URL of a PostgreSQL database to measure in; null for files in the temp directory
 */
public record BenchSettings(
        int jobs,
        int slots,
        int payloadBytes,
        Durability durability,
        int rows,
        Set<Section> sections,
        @Nullable String url) {
    /** Copies the set. */
    public BenchSettings {
        sections = Set.copyOf(sections);
    }

    boolean wants(Section section) {
        return sections.contains(section);
    }

    /** True if the bare loop or a measurement that is compared with it is selected. */
    boolean wantsThroughput() {
        return wants(Section.BARE_LOOP) || wants(Section.END_TO_END) || wants(Section.DRAIN);
    }

    /** Returns the input of each job: text whose JSON has the configured length. */
    String payload() {
        return "x".repeat(payloadBytes - 2);
    }
}
