package dev.windrow.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Worker processes, started at the first need and kept, so that each has warmed up when its figures count. They end
 * with this process, even if a signal ends it.
 */
final class Children implements AutoCloseable {
    private final Scratch scratch;
    private final List<Child> all = new CopyOnWriteArrayList<>();

    Children(Scratch scratch) {
        this.scratch = scratch;
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "windrow-bench-children"));
    }

    List<Child> first(int count) throws IOException {
        while (all.size() < count) {
            all.add(Child.start(scratch.folder()));
        }
        return List.copyOf(all.subList(0, count));
    }

    @Override
    public void close() {
        all.forEach(Child::close);
    }
}
