package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void withoutACutAllWordsAreOptionsAndArguments() {
        Arguments arguments = Arguments.cut("enqueue", "mail", "{}", "--json");
        assertThat(arguments.words()).containsExactly("enqueue", "mail", "{}", "--json");
        assertThat(arguments.command()).isNull();
    }

    @Test
    void wordsAfterTheFirstCutAreKeptUnchanged() {
        Arguments arguments = Arguments.cut("enqueue", "exec", "--", "--json", "--", "", "1", "--db");
        assertThat(arguments.words()).containsExactly("enqueue", "exec");
        assertThat(arguments.command()).containsExactly("--json", "--", "", "1", "--db");
    }

    @Test
    void aSwitchThatIsGivenTwiceCountsOnce() {
        Arguments arguments = Arguments.cut("--json", "enqueue", "exec", "--json", "-v", "--", "--json", "--json");
        assertThat(arguments.words()).containsExactly("--json", "enqueue", "exec", "-v");
        assertThat(arguments.command()).containsExactly("--json", "--json");
    }

    @Test
    void aCutAtTheEndIsACommandWithoutWords() {
        assertThat(Arguments.cut("enqueue", "exec", "--").command()).isEmpty();
    }
}
