package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.sqlite.Durability;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A worker process of a measurement. Does what the lines on stdin say and answers each; ends with stdin, so that it does
 * not outlive who started it.
 */
final class ChildMain {
    static final String DONE = "done";

    private int slots;
    private @Nullable Windrow windrow;
    private @Nullable Worker worker;

    private ChildMain() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        // Whatever else prints must not be taken for an answer.
        System.setOut(System.err);
        ChildMain child = new ChildMain();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                child.obey(line);
                out.println(DONE);
                out.flush();
            }
        } finally {
            child.stop();
        }
    }

    private void obey(String line) {
        String[] words = line.split(" ", 5);
        switch (words[0]) {
            case "open" -> {
                slots = Integer.parseInt(words[1]);
                windrow = database(words[2], words[3], words[4]).open();
            }
            case "start" -> {
                if (windrow != null) {
                    worker = Work.start(windrow, slots);
                }
            }
            case "stop" -> stop();
            default -> throw new IllegalArgumentException(line);
        }
    }

    private static Database database(String kind, String how, String where) {
        return kind.equals(SchemaDatabase.WORD)
                ? new SchemaDatabase(where, how)
                : new FileDatabase(Path.of(where), Durability.valueOf(how));
    }

    private void stop() {
        if (worker != null) {
            worker.close();
            worker = null;
        }
        if (windrow != null) {
            windrow.close();
            windrow = null;
        }
    }
}
