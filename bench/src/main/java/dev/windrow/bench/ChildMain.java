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
 * A worker process of a measurement. It runs the commands of the lines on stdin, and prints a line after each. It ends
 * with stdin, so that it does not outlive its parent process.
 */
final class ChildMain {
    static final String DONE = "done";

    private int slots;
    private @Nullable Windrow windrow;
    private @Nullable Worker worker;

    private ChildMain() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        // Other output must not be mistaken for the line that ends a command.
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
