package dev.windrow.store.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The names in a statement that get the prefix of a queue. Tests of the stores have the prefixes that are allowed. */
class TablePrefixTest {
    private static String translated(String sql) {
        return new TablePrefix("shop_").in(sql, "$1\\.");
    }

    @Test
    void eachNameAndPatternOfNamesGetsThePrefix() {
        assertThat(translated("DELETE FROM windrow_jobs WHERE windrow_jobs.id = 1"))
                .isEqualTo("DELETE FROM $1\\.shop_jobs WHERE $1\\.shop_jobs.id = 1");
        assertThat(translated("sqlite_autoindex_windrow_jobs_1")).isEqualTo("sqlite_autoindex_$1\\.shop_jobs_1");
        assertThat(translated("'windrow_*' 'windrow_?'")).isEqualTo("'$1\\.shop_*' '$1\\.shop_?'");
    }

    @Test
    void otherTextsStayAsTheyAre() {
        for (String other : new String[] {"my_windrow_jobs", "'windrow_'", "windrow.jobs", "windrow_1"}) {
            assertThat(translated(other)).isEqualTo(other);
        }
    }
}
