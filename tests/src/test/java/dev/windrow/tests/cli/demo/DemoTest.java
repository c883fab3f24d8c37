package dev.windrow.tests.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow demo} from outside, compared with a count of its own. */
class DemoTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    /** What an independent count says: whole files in memory, no buffers. */
    private record Count(long files, long completed, long binary, long lines, long words) {
        static Count of(Path root) throws IOException {
            Count sum = new Count(0, 0, 0, 0, 0);
            try (Stream<Path> all = Files.walk(root)) {
                for (Path file : all.filter(each -> Files.isRegularFile(each, java.nio.file.LinkOption.NOFOLLOW_LINKS))
                        .toList()) {
                    sum = sum.plus(Files.readAllBytes(file));
                }
            }
            return sum;
        }

        private Count plus(byte[] content) {
            String bytes = new String(content, StandardCharsets.ISO_8859_1);
            if (bytes.indexOf('\0') >= 0) {
                return new Count(files + 1, completed, binary + 1, lines, words);
            }
            long newlines = bytes.chars().filter(c -> c == '\n').count();
            long runs = 0;
            boolean before = true;
            for (char c : new String(content, StandardCharsets.UTF_8).toCharArray()) {
                boolean space = Character.isWhitespace(c);
                runs += before && !space ? 1 : 0;
                before = space;
            }
            return new Count(files + 1, completed + 1, binary, lines + newlines, words + runs);
        }
    }

    /** More files than a page of the scan has: text, binary, empty, without final newline, hidden, with odd names and odd bytes. */
    private Path generate() throws IOException {
        long seed = 20261121;
        Random random = new Random(seed);
        Path root = Files.createDirectory(folder.resolve("the inbox, 'all' of it"));
        String[] folders = {"", "sub folder", ".hidden/deeper", "target", "über/漢字", "a'b\"c", "new\nline"};
        String[] words = {
            "alpha", "beta", "Gamma,", "naïve", "漢字", "x", "\t", "  ", "\n", "\r\n", "\u3000", "\u2028", "𝄞"
        };
        for (int i = 0; i < 1200; i++) {
            Path parent = Files.createDirectories(Cli.path(root, folders[random.nextInt(folders.length)]));
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            int length = random.nextInt(20) == 0 ? 0 : random.nextInt(200);
            for (int j = 0; j < length; j++) {
                content.writeBytes(words[random.nextInt(words.length)].getBytes(StandardCharsets.UTF_8));
                content.writeBytes(random.nextBoolean() ? new byte[] {' '} : new byte[0]);
                if (random.nextInt(500) == 0) {
                    content.write(0x80 + random.nextInt(0x80)); // no UTF-8
                }
            }
            if (random.nextInt(10) == 0) {
                content.write(0);
            }
            String name = "file " + i + (random.nextBoolean() ? " ä.txt" : "");
            Files.write(Cli.path(parent, name), content.toByteArray());
        }
        Files.write(root.resolve("large"), "grün und blau\n".repeat(100_000).getBytes(StandardCharsets.UTF_8));
        Files.createSymbolicLink(root.resolve("link"), root.resolve("large"));
        Files.createSymbolicLink(root.resolve("loop"), root);
        return root;
    }

    @Test
    void theDemoCountsLikeAnIndependentCountWithItsDatabaseInTheFolder() throws IOException {
        Path root = generate();
        Count expected = Count.of(root);
        Path database = root.resolve("x.db");
        JsonNode report = cli.json("demo", root.toString(), "--db", database.toString(), "--json");
        assertThat(report.propertyNames())
                .contains(
                        "files",
                        "completed",
                        "failed",
                        "lines",
                        "words",
                        "topWords",
                        "failures",
                        "jobsPerSecond",
                        "db");
        assertThat(report.get("files").asLong()).isEqualTo(expected.files());
        assertThat(report.get("completed").asLong()).isEqualTo(expected.completed());
        assertThat(report.get("failed").asLong()).isEqualTo(expected.binary());
        assertThat(report.get("lines").asLong()).isEqualTo(expected.lines());
        assertThat(report.get("words").asLong()).isEqualTo(expected.words());
        assertThat(report.get("failures").toString())
                .isEqualTo("[{\"errorCode\":\"INVALID_INPUT:BINARY_FILE\",\"count\":%d}]".formatted(expected.binary()));
        assertThat(report.get("topWords"))
                .hasSizeBetween(1, 10)
                .allSatisfy(word -> assertThat(word.propertyNames()).containsExactly("word", "count"));
        assertThat(report.get("jobsPerSecond").asDouble()).isPositive();
        assertThat(report.get("db").asString()).isEqualTo(database.toString());

        JsonNode stats = cli.json("stats", "--db", database.toString(), "--json");
        assertThat(stats.at("/states/COMPLETED").asLong()).isEqualTo(expected.completed() + 2);
        assertThat(stats.at("/states/FAILED").asLong()).isEqualTo(expected.binary());
        assertThat(stats.get("retries").isEmpty()).isTrue();

        // A second run in the same database counts its own files only, and one at a time does it as well.
        JsonNode again = cli.json("demo", root.toString(), "--db", database.toString(), "--json", "--concurrency", "1");
        assertThat(again.get("files").asLong()).isEqualTo(expected.files());
        assertThat(again.get("words").asLong()).isEqualTo(expected.words());
        assertThat(again.get("failures").toString())
                .isEqualTo(report.get("failures").toString());
        assertThat(again.get("topWords").toString())
                .isEqualTo(report.get("topWords").toString());
    }

    /** Names are bytes on Linux; these are no UTF-8. */
    @Test
    void fileNamesThatAreNotTextAreCounted() throws IOException {
        Path root = Files.createDirectory(folder.resolve("odd"));
        Files.writeString(Cli.path(root, new byte[] {'c', 'a', 'f', (byte) 0xe9}), "two words\n");
        for (String locale : new String[] {"C", "C.UTF-8"}) {
            JsonNode report = cli.with("LC_ALL", locale)
                    .process("demo", root.toString(), "--db", locale + ".db", "--json")
                    .json();
            assertThat(report.get("files").asInt()).isEqualTo(1);
            assertThat(report.get("completed").asInt()).isEqualTo(1);
            assertThat(report.get("words").asInt()).isEqualTo(2);
        }
    }

    @Test
    void anEmptyFolderGetsAReport() throws IOException {
        Path root = Files.createDirectory(folder.resolve("empty"));
        JsonNode report = cli.json("demo", root.toString(), "--json");
        assertThat(report.get("files").asInt()).isZero();
        assertThat(report.get("topWords").isEmpty()).isTrue();
        Files.delete(Path.of(report.get("db").asString()));
    }

    @Test
    void withoutJsonTheDemoPrintsAReportAndNextCommands() throws IOException {
        Path root = Files.createDirectory(folder.resolve("few"));
        Files.writeString(root.resolve("one"), "alpha beta alpha\n");
        Files.write(root.resolve("two.bin"), new byte[] {1, 0, 2});
        String out = cli.run("demo", "few", "--db", "few.db").out();
        assertThat(out).contains("alpha", "INVALID_INPUT:BINARY_FILE", "two.bin", "stats --db", "few.db");
        assertThat(out.lines()).allSatisfy(line -> assertThat(line).doesNotContain("\u001b"));
    }

    /** Paths longer than 4096 bytes can be made step by step, and read by nobody, the superuser included. */
    @Test
    void anUnreadableFolderIsReportedByName() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("deep")).resolve("file"), "two words\n");
        String name = "d".repeat(250);
        assertThat(cli.shell("cd deep; for i in $(seq 20); do mkdir %s && cd -P %s; done".formatted(name, name))
                        .status())
                .isZero();
        try {
            Result result = cli.run("demo", "deep", "--db", "x.db", "--json");
            assertThat(result.status()).as(result.err()).isZero();
            assertThat(result.json().get("files").asInt()).isEqualTo(1);
            assertThat(result.json().get("unreadableFolders").asInt()).isEqualTo(1);
            assertThat(result.err()).contains("1 folder could not be read");
            JsonNode scan = cli.json("list", "--type", "demo.scan", "--db", "x.db", "--json");
            JsonNode history = cli.json("show", scan.at("/jobs/0/id").asString(), "--db", "x.db", "--json");
            assertThat(history.at("/attempts/0/output").asString()).contains("cannot read ", name);
            assertThat(result.err()).contains("show " + history.get("id").asString() + " --db x.db");
        } finally {
            cli.shell("rm -rf deep");
        }
    }

    @Test
    void theScanNamesTheReportJobByATextId() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("few")).resolve("one"), "word\n");
        assertThat(cli.json("demo", "few", "--db", "x.db", "--json")
                        .get("unreadableFolders")
                        .asInt())
                .isZero();
        String report = cli.json("list", "--type", "demo.report", "--db", "x.db", "--json")
                .at("/jobs/0/id")
                .asString();
        String scan = cli.json("list", "--type", "demo.scan", "--db", "x.db", "--json")
                .at("/jobs/0/id")
                .asString();
        JsonNode named = cli.json("show", scan, "--db", "x.db", "--json").at("/result/reportJob");
        assertThat(named.isString()).isTrue();
        assertThat(named.asString()).isEqualTo(report);
    }

    /** The same large file by many names: hours of work in little space. */
    @Test
    void anInterruptedDemoFailsAndSaysHowToContinue() throws IOException {
        Path root = Files.createDirectory(folder.resolve("many"));
        Path large = Files.writeString(root.resolve("0"), "all work and no play\n".repeat(1_000_000));
        for (int i = 1; i < 2000; i++) {
            Files.createLink(root.resolve(String.valueOf(i)), large);
        }
        Running demo = cli.start("demo", "many", "--db", "x.db", "--json", "--verbose", "--concurrency", "1")
                .said("Worker ");
        demo.signal("INT");
        Result result = demo.end();
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("interrupted", "work --until-idle --db x.db");
        assertThat(result.err()).doesNotContain("\tat ", " ERROR ");
        assertThat(cli.json("stats", "--db", "x.db", "--json")
                        .at("/states/RUNNING")
                        .asInt())
                .isZero();
    }

    @Test
    void aMissingFolderIsNamed() {
        Result result = cli.run("demo", "nosuch", "--json");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("nosuch");
        assertThat(result.out()).isEmpty();
        assertThat(cli.run("demo", "a", "b").status()).isEqualTo(2);
    }
}
