package dev.windrow.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JUnit of users: a version of its API that came with the kit would stand beside another version of their engine. */
class DependenciesTest {
    @ParameterizedTest
    @ValueSource(strings = {"testkit", "store-contracts"})
    void theModuleBringsNoJunit(String module) throws Exception {
        String pom = Files.readString(Path.of(System.getProperty("windrow.root"), module, "pom.xml"));
        assertThat(pom.split("<dependency>"))
                .filteredOn(dependency -> dependency.contains("<groupId>org.junit"))
                .isNotEmpty()
                .allSatisfy(dependency -> assertThat(dependency).containsPattern("<scope>(provided|test)</scope>"));
    }
}
