/** The PostgreSQL store. */
module dev.windrow.postgres {
    requires transitive dev.windrow.core;
    requires org.slf4j;
    requires org.postgresql.jdbc;
    requires static com.zaxxer.hikari;
    requires static org.jspecify;

    exports dev.windrow.postgres;

    provides dev.windrow.store.TestStores with
            dev.windrow.postgres.testing.PostgresTestStores;
}
