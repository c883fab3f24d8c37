/** The API, the store interface and the engine of Windrow. */
@SuppressWarnings("module") // the stores are built after this module
module dev.windrow.core {
    requires transitive org.slf4j;
    requires static transitive com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires transitive java.sql;

    exports dev.windrow;
    exports dev.windrow.limit;
    exports dev.windrow.monitor;
    exports dev.windrow.payload;
    exports dev.windrow.query;
    exports dev.windrow.retention;
    exports dev.windrow.schedule;
    exports dev.windrow.step;
    exports dev.windrow.transfer;
    exports dev.windrow.workflow;
    // Its one class for the test kit is ManualWorker.
    exports dev.windrow.engine.worker to
            dev.windrow.testkit;
    exports dev.windrow.store to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.job to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.limit to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.monitor to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.payload to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.contract;
    exports dev.windrow.store.processes to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.contract;
    exports dev.windrow.store.query to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.contract;
    exports dev.windrow.store.retention to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.schedule to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.step to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit,
            dev.windrow.contract;
    exports dev.windrow.store.transfer to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit;
    exports dev.windrow.store.workflow to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.contract;
    exports dev.windrow.store.sql.connection to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.job to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.limit to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.monitor to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.payload to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.writer to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.processes to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.query to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.retention to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.schedule to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.step to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.transfer to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.store.sql.workflow to
            dev.windrow.sqlite,
            dev.windrow.postgres;

    uses dev.windrow.payload.PayloadCodec;
}
