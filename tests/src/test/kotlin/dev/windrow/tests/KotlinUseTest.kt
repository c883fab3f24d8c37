package dev.windrow.tests

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What an application in Kotlin writes; the point is that it compiles. */
class KotlinUseTest {
    @Test
    fun `kotlin tests are compiled and run`() {
        assertThat(listOf(1, 2).sum()).isEqualTo(3)
    }
}
