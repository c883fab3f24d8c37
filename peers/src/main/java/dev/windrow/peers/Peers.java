package dev.windrow.peers;

import dev.windrow.peers.Comparison.Figure;
import dev.windrow.peers.Comparison.Rates;
import dev.windrow.peers.Peer.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints what Windrow and other Java queues do a second with the same work on one SQLite file each. Arguments: jobs,
 * rounds (one more is run first and not counted), and seconds after which a drain is cut off.
 */
final class Peers {
    private Peers() {}

    public static void main(String[] arguments) throws Exception {
        int jobs = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        int patience = Integer.parseInt(arguments[2]);
        Map<Peer, Rates> all = new LinkedHashMap<>();
        for (Peer peer : List.of(
                new WindrowPeer(Durability.FULL),
                new WindrowPeer(Durability.NORMAL),
                new JobRunrPeer(SqliteFile.asDocumented()),
                new JobRunrPeer(SqliteFile.byHand(Durability.FULL)),
                new JobRunrPeer(SqliteFile.byHand(Durability.NORMAL)),
                new DbSchedulerPeer(SqliteFile.asDocumented()),
                new DbSchedulerPeer(SqliteFile.byHand(Durability.FULL)),
                new DbSchedulerPeer(SqliteFile.byHand(Durability.NORMAL)))) {
            all.put(peer, new Rates());
        }
        Path folder = Files.createTempDirectory("windrow-peers-");
        try {
            Comparison comparison = new Comparison(folder, jobs, patience);
            for (int round = 0; round <= rounds; round++) {
                for (Map.Entry<Peer, Rates> each : all.entrySet()) {
                    System.err.printf(
                            Locale.ROOT,
                            "peers: %s, %s, %s, %s%n",
                            round == 0 ? "warm-up" : "round %d of %d".formatted(round, rounds),
                            each.getKey().name(),
                            each.getKey().setup(),
                            each.getKey().durability());
                    comparison.run(each.getKey(), round == 0 ? new Rates() : each.getValue());
                }
            }
        } finally {
            Comparison.remove(folder);
        }
        System.out.print(table(all));
        System.out.print(verdict(all));
    }

    private static String table(Map<Peer, Rates> all) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n%-13s %-18s %-10s %9s %9s %9s %9s %9s%n",
                "a second",
                "",
                "",
                "1 thread",
                "8 threads",
                "bulk",
                "drain",
                "whole"));
        all.forEach((peer, rates) -> text.append(String.format(
                Locale.ROOT,
                "%-13s %-18s %-10s %,9.0f %,9.0f %,9.0f %,9.0f %,9.0f%s%s%n",
                peer.name(),
                peer.setup(),
                peer.durability(),
                rates.median(Figure.ENQUEUE_ONE),
                rates.median(Figure.ENQUEUE_EIGHT),
                rates.median(Figure.ENQUEUE_BULK),
                rates.median(Figure.DRAIN),
                rates.median(Figure.WHOLE),
                rates.refused() == 0 ? "" : "  %d enqueues refused".formatted(rates.refused()),
                rates.unfinished() == 0 ? "" : "  %d jobs unfinished".formatted(rates.unfinished()))));
        return text.toString();
    }

    private static String verdict(Map<Peer, Rates> all) {
        StringBuilder text = new StringBuilder(System.lineSeparator());
        for (Durability ours : Durability.values()) {
            for (Durability theirs : Durability.values()) {
                for (Figure figure : List.of(Figure.DRAIN, Figure.WHOLE)) {
                    double best = best(all, false, theirs, figure);
                    text.append(String.format(
                            Locale.ROOT,
                            "%s: Windrow at %s against the best peer at %s: %.1f%n",
                            figure.name().toLowerCase(Locale.ROOT),
                            ours,
                            theirs,
                            best(all, true, ours, figure) / best));
                }
            }
        }
        return text.toString();
    }

    private static double best(Map<Peer, Rates> all, boolean ours, Durability durability, Figure figure) {
        return all.entrySet().stream()
                .filter(each -> each.getKey() instanceof WindrowPeer == ours)
                .filter(each -> each.getKey().durability() == durability)
                .mapToDouble(each -> each.getValue().median(figure))
                .max()
                .orElse(Double.NaN);
    }
}
