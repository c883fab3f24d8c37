package dev.windrow.cli.demo;

import dev.windrow.Handlers;
import dev.windrow.Windrow;
import dev.windrow.cli.database.OwnFiles;
import dev.windrow.cli.database.Target;

/** The handlers of the demo's jobs, for its own worker and for any other that takes them. */
public final class DemoHandlers {
    private DemoHandlers() {}

    public static void register(Handlers handlers, Windrow windrow, Target target) {
        OwnFiles own = target.ownFiles();
        handlers.handle(DemoTypes.SCAN, new DemoScan(windrow, own))
                .handle(DemoTypes.FILE, new DemoFile(own))
                .handle(DemoTypes.REPORT, new DemoReport());
    }
}
