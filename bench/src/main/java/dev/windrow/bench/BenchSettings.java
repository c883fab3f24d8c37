package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is measured, and how large.
 *
 * @param jobs jobs of a run of the throughput measurements; the others take at most as many
 * @param slots slots of each worker
 * @param payloadBytes length of each payload, as JSON text, 2 at least
 * @param durability what each commit survives, on files; a server has settings of its own
 * @param rows finished jobs in the larger database of {@link Section#CLAIM_FLATNESS} and {@link Section#SCALE}
 * @param sections what to measure
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

    /** Whether one of the measurements that are compared with the bare loop is wanted, or the loop itself. */
    boolean wantsThroughput() {
        return wants(Section.BARE_LOOP) || wants(Section.END_TO_END) || wants(Section.DRAIN);
    }

    /** The input of each job: text whose JSON has the length that was asked for. */
    String payload() {
        return "x".repeat(payloadBytes - 2);
    }
}
