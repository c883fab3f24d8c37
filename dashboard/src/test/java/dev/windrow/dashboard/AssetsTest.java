package dev.windrow.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the page: all are served, each names only files that exist, and the libraries are the ones that their checksums name. */
class AssetsTest {
    private static final Path PAGE = Path.of(System.getProperty("windrow.root"))
            .resolve("dashboard/src/main/resources/dev/windrow/dashboard/page");
    private static final Pattern ADDRESS = Pattern.compile("(?:src|href)=\"([^\"]*)\"");
    private static final Pattern IMPORT = Pattern.compile("(?m)^(?:import|export|})[^\"]* from \"([^\"]*)\"");

    private static String page() {
        return new String(Assets.page().bytes(), StandardCharsets.UTF_8);
    }

    private static Answer file(String address, boolean mayBeZipped) {
        String[] parts = address.split("/", 3);
        assertThat(parts[0]).isEqualTo("assets");
        Answer answer = Assets.file(parts[1], parts[2], mayBeZipped);
        assertThat(answer).as(address).isNotNull();
        return answer;
    }

    private static List<String> addresses() {
        return ADDRESS.matcher(page())
                .results()
                .map(match -> match.group(1))
                .filter(address -> !address.startsWith("data:"))
                .toList();
    }

    @Test
    void eachFileIsServed() throws IOException {
        try (Stream<Path> files = Files.walk(PAGE)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> PAGE.relativize(file).toString())
                            .filter(name -> name.endsWith(".js") || name.endsWith(".css")))
                    .containsExactlyInAnyOrderElementsOf(Assets.FILES);
        }
        assertThat(Assets.FILES).isSorted();
    }

    @Test
    void thePageNamesOnlyItsOwnFiles() {
        assertThat(addresses()).isNotEmpty().allMatch(address -> file(address, false) != null);
        assertThat(page()).doesNotContain("{assets}").doesNotContainPattern("style=\"|onclick|<script>|//");
    }

    @Test
    void eachModuleImportsOnlyFilesOfThePage() throws IOException {
        for (String name : Assets.FILES) {
            String text = Files.readString(PAGE.resolve(name));
            for (Matcher matcher = IMPORT.matcher(text); name.endsWith(".js") && matcher.find(); ) {
                String imported = matcher.group(1);
                if (!imported.contains("${")) {
                    Path file = PAGE.resolve(name).resolveSibling(imported).normalize();
                    assertThat(Assets.FILES)
                            .as(name)
                            .contains(PAGE.relativize(file).toString());
                }
            }
        }
    }

    @Test
    void filesMayBeKeptForever() {
        String address = addresses().get(0);
        Answer plain = file(address, false);
        assertThat(plain.headers())
                .containsEntry("Cache-Control", "public, max-age=31536000, immutable")
                .doesNotContainKey("Content-Encoding");
        Answer zipped = file(address, true);
        assertThat(zipped.headers()).containsEntry("Content-Encoding", "gzip").containsEntry("Vary", "Accept-Encoding");
        assertThat(zipped.bytes()).hasSizeLessThan(plain.bytes().length);
    }

    @Test
    void aFileOfAnotherVersionIsNotServed() {
        assertThat(Assets.file("0123456789abcdef", "app/main.js", false)).isNull();
        assertThat(Assets.file(addresses().get(0).split("/")[1], "../Assets.class", false))
                .isNull();
    }

    @Test
    void theLibrariesHaveTheirChecksums() throws Exception {
        for (String line : Files.readAllLines(PAGE.resolve("vendor/SHA256SUMS"))) {
            byte[] bytes = Files.readAllBytes(PAGE.resolve("vendor").resolve(line.substring(66)));
            assertThat(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
                    .as(line)
                    .isEqualTo(line.substring(0, 64));
        }
    }
}
