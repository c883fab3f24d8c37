package dev.windrow.tests.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the order of the lines of a ledger: no two handler calls of one job at once, and no more calls of a group than its limit. Calls that had
 * begun in a process before it was killed, or stopped for longer than its leases, do not count. Calls that begin in such a process do not count until
 * it is back. The result is a list of violations, one sentence each.
 */
final class LedgerCheck {
    /** The number of kills of each process, and of stops after which it did not come back. */
    private final Map<String, Integer> gone = new HashMap<>();
    /** The calls that have begun and not ended, by job or group. */
    private final Map<String, List<Call>> open = new HashMap<>();

    private final List<String> violations = new ArrayList<>();

    private record Call(String job, String attempt, String process) {}

    private LedgerCheck() {}

    /**
     * Returns the violations.
     *
     * @param ledger lines {@code start|end|thrown JOB ATTEMPT WORKER PROCESS GROUP}, {@code gone|back PROCESS}, and others
     */
    static List<String> of(List<List<String>> ledger) {
        LedgerCheck check = new LedgerCheck();
        ledger.forEach(check::line);
        return check.violations;
    }

    private void line(List<String> line) {
        switch (line.get(0)) {
            case "gone" -> {
                gone.merge(line.get(1), 1, Integer::sum);
                open.values().forEach(calls -> calls.removeIf(call -> call.process.equals(line.get(1))));
            }
            case "back" -> gone.merge(line.get(1), -1, Integer::sum);
            case "start" -> {
                begins("job " + line.get(1), 1, line);
                if (!line.get(5).isEmpty()) {
                    begins(line.get(5), StormJobs.limit(line.get(5)), line);
                }
            }
            case "end", "thrown" -> {
                open("job " + line.get(1)).remove(call(line));
                open(line.get(5)).remove(call(line));
            }
            default -> {}
        }
    }

    private static Call call(List<String> line) {
        return new Call(line.get(1), line.get(2), line.get(4));
    }

    private List<Call> open(String what) {
        return open.computeIfAbsent(what, key -> new ArrayList<>());
    }

    private void begins(String what, int limit, List<String> line) {
        List<Call> calls = open(what);
        if (gone.getOrDefault(line.get(4), 0) == 0) {
            calls.add(call(line));
        }
        if (calls.size() > limit) {
            violations.add("more than %d at once of %s: %s".formatted(limit, what, calls));
        }
    }
}
