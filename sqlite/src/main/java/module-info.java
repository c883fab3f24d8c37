/** The SQLite store. */
module dev.windrow.sqlite {
    requires transitive dev.windrow.core;
    requires org.slf4j;
    requires org.xerial.sqlitejdbc;
    requires static org.jspecify;

    exports dev.windrow.sqlite;

    provides dev.windrow.store.TestStores with
            dev.windrow.sqlite.testing.SqliteTestStores;
}
