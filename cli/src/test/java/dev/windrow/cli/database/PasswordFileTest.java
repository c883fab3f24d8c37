package dev.windrow.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.cli.FailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordFileTest {
    @TempDir
    private Path folder;

    private final List<String> warnings = new ArrayList<>();

    private Path file(String permissions, byte[] content) throws IOException {
        Path file = Files.write(folder.resolve("password"), content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private String read(Path file) {
        return PasswordFile.read(Path.of(""), file.toString(), PasswordFile.VARIABLE, warnings::add);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pass wörd ", "pass wörd \n", "pass wörd \r\n", "pass wörd \nnot this\n"})
    void thePasswordIsTheWholeFirstLine(String content) throws IOException {
        assertThat(read(file("rw-------", content.getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("pass wörd ");
        assertThat(warnings).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw----r--", "r--r-----", "rw--w----"})
    void aFileThatOtherUsersCanReadCausesAWarningWithoutThePassword(String permissions) throws IOException {
        assertThat(read(file(permissions, new byte[] {'a', 'b', 'c'}))).isEqualTo("abc");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("password' (WINDROW_DB_PASSWORD_FILE)", "chmod 600")
                .doesNotContain("abc");
    }

    @Test
    void aFileWithoutAPasswordIsRefusedWithTheReason() throws IOException {
        assertRefused(folder.resolve("nosuch"), "the file does not exist");
        assertRefused(folder, "it is a folder");
        assertRefused(file("rw-------", new byte[0]), "its first line is empty");
        assertRefused(file("rw-------", new byte[] {'\r', '\n', 'a'}), "its first line is empty");
        assertRefused(file("rw-------", new byte[] {'c', 'a', 'f', (byte) 0xe9}), "its first line is not UTF-8");
        assertRefused(Path.of("/dev/zero"), "its first line is longer than 4095 bytes");
    }

    private void assertRefused(Path file, String why) {
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(FailedException.class)
                .hasMessage("cannot read a password from '%s' (WINDROW_DB_PASSWORD_FILE): %s".formatted(file, why));
        assertThat(warnings).isEmpty();
    }
}
