package dev.windrow.dashboard;

import dev.windrow.wire.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The description of the API in OpenAPI 3.1, made from the table of routes. */
final class OpenApi {
    /** The first words of paths that have a group of their own. */
    private static final Set<String> GROUPS =
            Set.of("jobs", "workflows", "chains", "schedules", "controls", "retention");

    private OpenApi() {}

    static JsonObject document(List<Route> routes) {
        Map<String, JsonObject> paths = new LinkedHashMap<>();
        for (Route route : routes) {
            paths.computeIfAbsent(route.path(), unused -> new JsonObject())
                    .put(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        JsonObject all = new JsonObject();
        paths.forEach(all::put);
        return new JsonObject()
                .put("openapi", "3.1.0")
                .put(
                        "info",
                        new JsonObject()
                                .put("title", "Windrow")
                                .put("version", AboutRoutes.version())
                                .put(
                                        "description",
                                        "Durable background jobs: the HTTP API. Ids are strings, times are ISO-8601 in UTC.")
                                .put(
                                        "license",
                                        new JsonObject()
                                                .put("name", "Apache-2.0")
                                                .put("identifier", "Apache-2.0")))
                .put("servers", List.of(new JsonObject().put("url", ".")))
                .put(
                        "security",
                        List.of(new JsonObject().put("bearer", List.of()), new JsonObject().put("basic", List.of())))
                .put("paths", all)
                .put("components", components());
    }

    private static JsonObject components() {
        return new JsonObject()
                .put(
                        "securitySchemes",
                        new JsonObject()
                                .put(
                                        "bearer",
                                        new JsonObject().put("type", "http").put("scheme", "bearer"))
                                .put(
                                        "basic",
                                        new JsonObject().put("type", "http").put("scheme", "basic")))
                .put("schemas", Schemas.all())
                .put(
                        "responses",
                        new JsonObject()
                                .put(
                                        "Problem",
                                        new JsonObject()
                                                .put("description", "A problem (RFC 9457).")
                                                .put(
                                                        "content",
                                                        content("application/problem+json", Schemas.ref("Problem")))));
    }

    private static JsonObject content(String media, JsonObject schema) {
        return new JsonObject().put(media, new JsonObject().put("schema", schema));
    }

    private static JsonObject operation(Route route) {
        List<JsonObject> parameters = new ArrayList<>();
        route.at().forEach(field -> parameters.add(parameter(field, "path")));
        route.query().forEach(field -> parameters.add(parameter(field, "query")));
        route.headers().forEach(field -> parameters.add(parameter(field, "header")));
        Permission permission = route.permission();
        JsonObject operation = new JsonObject()
                .put("operationId", operationId(route))
                .put("tags", List.of(tag(route)))
                .put("summary", route.summary())
                .put("x-permission", permission == null ? null : permission.word())
                .put("parameters", parameters);
        if (!route.body().isEmpty()) {
            operation.put(
                    "requestBody",
                    new JsonObject()
                            .put("required", route.body().stream().anyMatch(Field::isRequired))
                            .put(
                                    "content",
                                    content(
                                            Answer.JSON,
                                            members(new JsonObject().put("type", "object"), route.body()))));
        }
        String media = route.media().replace(";charset=utf-8", "");
        JsonObject schema =
                media.equals(Answer.JSON) ? Schemas.ref(route.answer()) : new JsonObject().put("type", "string");
        return operation.put(
                "responses",
                new JsonObject()
                        .put("2XX", new JsonObject().put("description", "Done.").put("content", content(media, schema)))
                        .put("4XX", new JsonObject().put("$ref", "#/components/responses/Problem"))
                        .put("5XX", new JsonObject().put("$ref", "#/components/responses/Problem")));
    }

    /** Returns the name of the group of a route. Clients that are generated have a class for each group. */
    private static String tag(Route route) {
        String word = Query.segments(route.path()).stream().findFirst().orElse("");
        return GROUPS.contains(word) ? word : "store";
    }

    private static String operationId(Route route) {
        return route.method().toLowerCase(Locale.ROOT)
                + Arrays.stream(route.path().split("[^A-Za-z0-9]+"))
                        .filter(word -> !word.isEmpty())
                        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                        .collect(Collectors.joining());
    }

    private static JsonObject parameter(Field field, String in) {
        JsonObject parameter = new JsonObject()
                .put("name", field.name())
                .put("in", in)
                .put("required", in.equals("path") || field.isRequired())
                .put("description", field.description())
                .put("schema", field.schema());
        return field.isList() ? parameter.put("style", "form").put("explode", true) : parameter;
    }

    /** Adds the properties of an object to its schema. It has no others. */
    static JsonObject members(JsonObject schema, List<Field> fields) {
        JsonObject properties = new JsonObject();
        fields.forEach(field -> properties.put(field.name(), field.schema().put("description", field.description())));
        List<String> required =
                fields.stream().filter(Field::isRequired).map(Field::name).toList();
        schema.put("properties", properties).put("additionalProperties", false);
        return required.isEmpty() ? schema : schema.put("required", required);
    }
}
