package dev.windrow.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.retention.DeadLetterRetry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values that a filter accepts. */
class JobFilterTest {
    @Test
    void aCategoryStandsForItsErrorCodes() {
        assertThat(JobFilter.failed().withErrorCode("PROCESS:*").errorCode()).isEqualTo("PROCESS:*");
        assertThat(ErrorCodes.category("PROCESS:*")).isEqualTo("PROCESS:");
        assertThat(ErrorCodes.category("PROCESS:EXIT_1")).isNull();
        assertThat(ErrorCodes.matches("PROCESS:*", "PROCESS:EXIT_1")).isTrue();
        assertThat(ErrorCodes.matches("PROCESS:*", "PROCESSES:EXIT_1")).isFalse();
        assertThat(ErrorCodes.matches("PROCESS:*", "PROCESS")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "PRO*", "*:EXIT_1", "PROCESS:EX*", "PROCESS:**", "PROCESS*:X", ":*", "process:*"})
    void anAsteriskInAnotherPlaceIsRefused(String code) {
        assertThatThrownBy(() -> JobFilter.ALL.withErrorCode(code))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'" + code + "'")
                .hasMessageContaining("CATEGORY:SUBCATEGORY or CATEGORY:*");
        assertThatThrownBy(() -> DeadLetterRetry.of(code))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'" + code + "'");
    }
}
