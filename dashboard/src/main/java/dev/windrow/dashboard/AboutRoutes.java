package dev.windrow.dashboard;

import dev.windrow.wire.JsonObject;
import java.util.Set;

/** The handlers of the routes about the API itself. */
final class AboutRoutes {
    private AboutRoutes() {}

    static Answer about(Call call) {
        Set<String> queues = call.access().queues();
        return Answer.of(new JsonObject()
                .put("name", "windrow")
                .put("version", version())
                .put("label", call.options().label())
                .put("traceLink", call.options().traceLink())
                .put("actor", call.actor())
                .put(
                        "permissions",
                        call.access().permissions().stream()
                                .sorted()
                                .map(Permission::word)
                                .toList())
                .put("queues", queues == null ? null : queues.stream().sorted().toList())
                .put("readOnly", call.options().isReadOnly()));
    }

    /** Returns the version of this library, from its jar; {@code dev} if it runs from classes. */
    static String version() {
        String version = DashboardServlet.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    static Answer openApi(Call call) {
        return Answer.of(OpenApi.document(Routes.ALL));
    }
}
