package dev.windrow.tests.testkit;

import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.testserver.PostgresServer;

/** Puts the test kit on each store. */
final class Kits {
    private Kits() {}

    static WindrowTest onUrl(StoreKind kind, WindrowTest kit) {
        return kind == StoreKind.SQLITE
                ? kit
                : kit.postgres(PostgresServer.shared().url());
    }

    static WindrowTest on(StoreKind kind, WindrowTest kit) {
        return kind == StoreKind.SQLITE
                ? kit
                : kit.postgres(() -> PostgresServer.shared().dataSource());
    }
}
