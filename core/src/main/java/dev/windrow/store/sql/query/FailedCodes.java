package dev.windrow.store.sql.query;

import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * The FAILED jobs of several error codes, in the order of their ids. An index has the jobs of each code in this order. Some jobs of each code are read
 * ahead, and the next one of all is taken. A code is read again only when its jobs are used up. So few more jobs are read than are taken.
 */
final class FailedCodes {
    /** The factor by which a code is read further ahead when its jobs are used up. */
    private static final int GROWTH = 4;

    /** The jobs of a code that were read and not taken. */
    private static final class Ahead {
        private final String code;
        private final Queue<Long> ids = new ArrayDeque<>();
        /** The number of jobs of the last read. */
        private int part;
        /** True if the code has no more jobs. */
        private boolean ended;

        Ahead(String code) {
            this.code = code;
        }

        private long head() {
            return ids.element();
        }
    }

    private final Statements statements;
    private final boolean ascending;
    private final PriorityQueue<Ahead> codes;
    /** The codes that must be read before the next job is taken. */
    private final List<Ahead> usedUp = new ArrayList<>();

    private int looked;

    FailedCodes(Statements statements, boolean ascending, List<String> codes) {
        this.statements = statements;
        this.ascending = ascending;
        Comparator<Ahead> order = Comparator.comparingLong(Ahead::head);
        this.codes = new PriorityQueue<>(ascending ? order : order.reversed());
        codes.forEach(code -> usedUp.add(new Ahead(code)));
    }

    /** Returns the number of jobs that were read, whether they were taken or not. */
    int looked() {
        return looked;
    }

    /**
     * Returns the next jobs, fewer than {@code limit} only at the end.
     *
     * @param beyond the id behind which the walk continues: the last one that was returned
     */
    List<Long> next(long beyond, int limit) throws SQLException {
        List<Long> ids = new ArrayList<>();
        long at = beyond;
        while (ids.size() < limit) {
            readAhead(at, limit - ids.size());
            Ahead first = codes.poll();
            if (first == null) {
                break;
            }
            at = first.ids.remove();
            ids.add(at);
            if (!first.ids.isEmpty()) {
                codes.add(first);
            } else if (!first.ended) {
                usedUp.add(first);
            }
        }
        return ids;
    }

    private void readAhead(long beyond, int wanted) throws SQLException {
        if (usedUp.isEmpty()) {
            return;
        }
        int part = 0;
        for (Ahead code : usedUp) {
            int next = code.part == 0 ? share(wanted, usedUp.size()) : GROWTH * code.part;
            part = Math.max(part, Math.min(next, wanted));
        }
        try (ResultSet rows = statements
                .get(ascending ? Statement.LIST_FAILED_CODES_UP : Statement.LIST_FAILED_CODES)
                .set(1, beyond)
                .set(2, part)
                .texts(3, usedUp.stream().map(code -> code.code).toList())
                .rows()) {
            while (rows.next()) {
                usedUp.get(rows.getInt(1)).ids.add(rows.getLong(2));
                looked++;
            }
        }
        for (Ahead code : usedUp) {
            code.part = part;
            code.ended = code.ids.size() < part;
            if (!code.ids.isEmpty()) {
                codes.add(code);
            }
        }
        usedUp.clear();
    }

    /** Returns the number of jobs that are read of each of some codes. By chance a code seldom has more of the wanted jobs. */
    private static int share(int wanted, int codes) {
        double mean = (double) wanted / codes;
        return (int) Math.ceil(mean + 4 * Math.sqrt(mean));
    }
}
