package dev.windrow.cli;

import dev.windrow.Handlers;
import dev.windrow.Windrow;

/** Who does the demo's work: its own worker, and any other that finds its jobs. */
final class DemoHandlers {
    private DemoHandlers() {}

    static void register(Handlers handlers, Windrow windrow, Target target) {
        OwnFiles own = target.ownFiles();
        handlers.handle(DemoTypes.SCAN, new DemoScan(windrow, own))
                .handle(DemoTypes.FILE, new DemoFile(own))
                .handle(DemoTypes.REPORT, new DemoReport());
    }
}
