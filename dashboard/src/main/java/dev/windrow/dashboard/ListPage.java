package dev.windrow.dashboard;

import java.util.List;

/** A plain page that lists the API. */
final class ListPage {
    private ListPage() {}

    static Answer of(List<Route> routes) {
        StringBuilder html = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><title>Windrow</title></head>
                <body>
                <h1>Windrow</h1>
                <p>The HTTP API below <code>api/v1</code>. Its description is in <a href="api/v1/openapi.json">OpenAPI 3.1</a>.</p>
                <table>
                <tr><th>method</th><th>path</th><th>permission</th><th></th></tr>
                """);
        for (Route route : routes) {
            Permission permission = route.permission();
            html.append("<tr><td>%s</td><td><code>%s</code></td><td>%s</td><td>%s</td></tr>%n"
                    .formatted(
                            route.method(),
                            route.path(),
                            permission == null ? "" : permission.word(),
                            escaped(route.summary())));
        }
        return Answer.text(
                200,
                "text/html;charset=utf-8",
                html.append("</table>\n</body>\n</html>\n").toString());
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
