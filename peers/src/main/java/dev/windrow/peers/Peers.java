package dev.windrow.peers;

import dev.windrow.peers.Comparison.Figure;
import dev.windrow.peers.Comparison.Rates;
import dev.windrow.peers.Place.Durability;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Prints the rates of Windrow and other Java queues with the same work, each on one SQLite file or one schema of a
 * PostgreSQL server.
 *
 * <p>Arguments:
 * <ol>
 *   <li>jobs;
 *   <li>rounds; one more is run first and not counted;
 *   <li>seconds after which a drain is cut off;
 *   <li>the database: {@code sqlite}, {@code postgres} or {@code both};
 *   <li>the JDBC URL of a PostgreSQL database, or {@code start} to start a server for the measurement.
 * </ol>
 */
final class Peers {
    private Peers() {}

    public static void main(String[] arguments) throws Exception {
        int jobs = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        int patience = Integer.parseInt(arguments[2]);
        String database = arguments[3];
        String url = arguments[4];
        if (!Set.of("sqlite", "postgres", "both").contains(database)) {
            throw new IllegalArgumentException("peers.database is sqlite, postgres or both, not " + database);
        }
        if (!database.equals("postgres")) {
            compare("SQLite", onSqlite(), jobs, rounds, patience);
        }
        if (!database.equals("sqlite")) {
            if (url.equals("start")) {
                try (PostgresServer server = PostgresServer.start("fsync=on")) {
                    compare("PostgreSQL " + server.version(), onPostgres(server.url()), jobs, rounds, patience);
                }
            } else {
                compare("PostgreSQL", onPostgres(url), jobs, rounds, patience);
            }
        }
    }

    private static List<Peer> onSqlite() {
        SqliteFile plain = SqliteFile.asDocumented();
        SqliteFile full = SqliteFile.byHand(Durability.FULL);
        SqliteFile normal = SqliteFile.byHand(Durability.NORMAL);
        return List.of(
                new WindrowPeer(full),
                new WindrowPeer(normal),
                new JobRunrPeer(plain),
                new JobRunrPeer(full),
                new JobRunrPeer(normal),
                DbSchedulerPeer.onSqlite(plain),
                DbSchedulerPeer.onSqlite(full),
                DbSchedulerPeer.onSqlite(normal));
    }

    private static List<Peer> onPostgres(String url) throws SQLException {
        PostgresSchema place = PostgresSchema.on(url);
        return List.of(
                new WindrowPeer(place),
                DbSchedulerPeer.onPostgres(place),
                DbSchedulerPeer.onPostgresWithLongFetches(place),
                new JobRunrPeer(place));
    }

    private static void compare(String database, List<Peer> peers, int jobs, int rounds, int patience)
            throws Exception {
        Map<Peer, Rates> all = new LinkedHashMap<>();
        for (Peer peer : peers) {
            all.put(peer, new Rates());
        }
        Path folder = Files.createTempDirectory("windrow-peers-");
        try {
            Comparison comparison = new Comparison(folder, jobs, patience);
            List<Map.Entry<Peer, Rates>> turns = new ArrayList<>(all.entrySet());
            for (int round = 0; round <= rounds; round++) {
                // Another peer is the first of each round: what a peer leaves to clean up slows the next one down.
                Collections.rotate(turns, 1);
                for (Map.Entry<Peer, Rates> each : turns) {
                    System.err.printf(
                            Locale.ROOT,
                            "peers: %s, %s, %s, %s%n",
                            round == 0 ? "warm-up" : "round %d of %d".formatted(round, rounds),
                            each.getKey().name(),
                            each.getKey().setup(),
                            each.getKey().place().durability());
                    comparison.run(each.getKey(), round == 0 ? new Rates() : each.getValue());
                }
            }
        } finally {
            Comparison.remove(folder);
        }
        System.out.printf(Locale.ROOT, "%n%s, %,d jobs, medians of %d rounds%n", database, jobs, rounds);
        System.out.print(table(all));
        System.out.print(verdict(all));
    }

    private static String table(Map<Peer, Rates> all) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n%-13s %-20s %-10s %9s %9s %9s %9s %9s %10s%n",
                "a second",
                "",
                "",
                "1 thread",
                "8 threads",
                "bulk",
                "drain",
                "whole",
                "start, ms"));
        all.forEach((peer, rates) -> text.append(String.format(
                Locale.ROOT,
                "%-13s %-20s %-10s %,9.0f %,9.0f %,9.0f %,9.0f %,9.0f %10.2f%s%s%n",
                peer.name(),
                peer.setup(),
                peer.place().durability(),
                rates.median(Figure.ENQUEUE_ONE),
                rates.median(Figure.ENQUEUE_EIGHT),
                rates.median(Figure.ENQUEUE_BULK),
                rates.median(Figure.DRAIN),
                rates.median(Figure.WHOLE),
                rates.median(Figure.START),
                rates.refused() == 0 ? "" : "  %d enqueues refused".formatted(rates.refused()),
                rates.unfinished() == 0 ? "" : "  %d jobs unfinished".formatted(rates.unfinished()))));
        return text.toString();
    }

    private static String verdict(Map<Peer, Rates> all) {
        StringBuilder text = new StringBuilder(System.lineSeparator());
        for (Durability ours : Durability.values()) {
            for (Durability theirs : Durability.values()) {
                for (Figure figure : List.of(Figure.DRAIN, Figure.WHOLE)) {
                    double mine = best(all, true, ours, figure);
                    double best = best(all, false, theirs, figure);
                    if (Double.isNaN(mine) || Double.isNaN(best)) {
                        continue;
                    }
                    text.append(String.format(
                            Locale.ROOT,
                            "%s: Windrow at %s against the best peer at %s: %.1f%n",
                            figure.name().toLowerCase(Locale.ROOT),
                            ours,
                            theirs,
                            mine / best));
                }
            }
        }
        return text.toString();
    }

    private static double best(Map<Peer, Rates> all, boolean ours, Durability durability, Figure figure) {
        return all.entrySet().stream()
                .filter(each -> each.getKey() instanceof WindrowPeer == ours)
                .filter(each -> each.getKey().place().durability() == durability)
                .mapToDouble(each -> each.getValue().median(figure))
                .max()
                .orElse(Double.NaN);
    }
}
