package dev.windrow.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Worker processes, started when they are first needed and kept, so that each has warmed up when it counts. */
final class Children implements AutoCloseable {
    private final Scratch scratch;
    private final List<Child> all = new ArrayList<>();

    Children(Scratch scratch) {
        this.scratch = scratch;
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
