package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The handling of the signals to stop and to continue, as Linux reports it for the process. */
class SignalsTest {
    @TempDir
    private Path folder;

    /** A process that listens to the signals and then stops listening. */
    static final class Listener {
        private Listener() {}

        public static void main(String[] args) throws IOException {
            say("before");
            Signals.listenToStops(() -> {}, () -> {});
            say("meanwhile");
            Signals.listenToStopsNoMore();
            say("afterwards");
        }

        /** Prints the masks of the signals. TSTP is 20 and CONT 18; the bit of the first signal is the lowest. */
        private static void say(String when) throws IOException {
            StringBuilder line = new StringBuilder(when);
            for (String each : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (each.startsWith("SigIgn:") || each.startsWith("SigCgt:")) {
                    long set = Long.parseUnsignedLong(each.substring(7).strip(), 16);
                    line.append(' ').append(each, 3, 6).append((set >> 19 & 1) == 1 ? " TSTP" : "");
                    line.append((set >> 17 & 1) == 1 ? " CONT" : "");
                }
            }
            System.out.println(line);
        }
    }

    private List<String> listenerAfter(String shell) throws Exception {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        "env",
                        "--default-signal=TSTP,CONT",
                        "sh",
                        "-c",
                        shell + "; exec \"$0\" -cp \"$1\" \"$2\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("java.class.path"),
                        Listener.class.getName())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(out, StandardCharsets.UTF_8);
    }

    @Test
    void signalsAreHandledWhileListeningAndAsBeforeAfterwards() throws Exception {
        assertThat(listenerAfter(":"))
                .containsExactly("before Ign Cgt", "meanwhile Ign Cgt TSTP CONT", "afterwards Ign Cgt");
    }

    @Test
    void anIgnoredSignalStaysIgnored() throws Exception {
        assertThat(listenerAfter("trap '' TSTP"))
                .containsExactly("before Ign TSTP Cgt", "meanwhile Ign TSTP Cgt", "afterwards Ign TSTP Cgt");
        assertThat(listenerAfter("trap '' CONT"))
                .containsExactly("before Ign CONT Cgt", "meanwhile Ign CONT Cgt TSTP", "afterwards Ign CONT Cgt");
    }
}
