package dev.windrow.cli.retention;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.database.SqliteTarget;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.retention.SizeChange;
import dev.windrow.wire.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code vacuum}: writes the whole database again, without gaps. */
@Command(
        name = "vacuum",
        description = "Rewrites the database without gaps, at a quiet time.",
        footer = {
            "",
            "A SQLite file: needs up to twice its size of free disk space, and no other",
            "process can write at that time. Refused while workers are alive. Seldom needed,",
            "because retention releases free pages. PostgreSQL: runs VACUUM (ANALYZE) on the",
            "tables, which blocks no other process.",
            "",
            "Examples:",
            "  windrow vacuum --db jobs.db"
        })
public final class VacuumCommand extends CliCommand {
    @Option(names = "--force", description = "Also while workers are alive; they wait until it has ended.")
    private boolean force;

    public VacuumCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        SizeChange done;
        try (Windrow windrow = target().openExisting()) {
            if (!force && target() instanceof SqliteTarget) {
                refuseWhileAlive(windrow);
            }
            done = windrow.retention().vacuum();
        }
        if (json()) {
            out().println(new JsonObject()
                    .put("bytesBefore", done.bytesBefore())
                    .put("bytesAfter", done.bytesAfter()));
        } else {
            out().println("%s: %,d bytes before, %,d after"
                    .formatted(target().name(), done.bytesBefore(), done.bytesAfter()));
        }
    }

    private void refuseWhileAlive(Windrow windrow) {
        List<String> alive = windrow.monitor().workers().stream()
                .filter(WorkerInfo::alive)
                .map(WorkerInfo::name)
                .toList();
        if (!alive.isEmpty()) {
            throw new FailedException(
                    "%d worker%s alive (%s) and could not write during the vacuum; stop them, or give --force"
                            .formatted(
                                    alive.size(),
                                    alive.size() == 1 ? " is" : "s are",
                                    String.join(", ", alive.size() > 5 ? alive.subList(0, 5) : alive)));
        }
    }
}
