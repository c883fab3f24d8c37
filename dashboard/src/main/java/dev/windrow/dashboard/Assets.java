package dev.windrow.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the page. The address of each has a checksum of all of them, so that a browser keeps it without asking again, and never mixes files of
 * two versions.
 */
final class Assets {
    /** All files but the page itself. A jar has no way to list a folder that works in each container. */
    static final List<String> FILES = List.of(
            "app/api.js",
            "app/bulk.js",
            "app/charts.js",
            "app/dialogs.js",
            "app/format.js",
            "app/forms.js",
            "app/frame.js",
            "app/html.js",
            "app/json.js",
            "app/keys.js",
            "app/live.js",
            "app/main.js",
            "app/parts.js",
            "app/route.js",
            "app/rows.js",
            "app/settings.js",
            "app/stack.js",
            "style/base.css",
            "style/controls.css",
            "style/data.css",
            "style/details.css",
            "style/frame.css",
            "style/graph.css",
            "style/overlays.css",
            "style/widths.css",
            "vendor/dagre.js",
            "vendor/hooks.js",
            "vendor/htm.js",
            "vendor/preact.js",
            "views/audit.js",
            "views/failures.js",
            "views/job.js",
            "views/job/actions.js",
            "views/job/attempts.js",
            "views/job/details.js",
            "views/job/documents.js",
            "views/job/family.js",
            "views/job/history.js",
            "views/job/life.js",
            "views/job/menu.js",
            "views/job/why.js",
            "views/jobs.js",
            "views/jobs/dialogs.js",
            "views/jobs/filter.js",
            "views/jobs/new.js",
            "views/jobs/page.js",
            "views/jobs/search.js",
            "views/jobs/table.js",
            "views/overview.js",
            "views/queues.js",
            "views/queues/keys.js",
            "views/queues/parts.js",
            "views/queues/target.js",
            "views/queues/targets.js",
            "views/schedule/actions.js",
            "views/schedule/clocks.js",
            "views/schedule/form.js",
            "views/schedule/panel.js",
            "views/schedule/runs.js",
            "views/schedule/words.js",
            "views/schedules.js",
            "views/system.js",
            "views/system/about.js",
            "views/system/cleanup.js",
            "views/system/doctor.js",
            "views/system/health.js",
            "views/system/retention.js",
            "views/workers.js",
            "views/workers/slots.js",
            "views/workflow/actions.js",
            "views/workflow/columns.js",
            "views/workflow/fact.js",
            "views/workflow/graph.js",
            "views/workflow/jobs.js",
            "views/workflow/jobtable.js",
            "views/workflow/layout.js",
            "views/workflow/model.js",
            "views/workflow/node.js",
            "views/workflow/order.js",
            "views/workflow/page.js",
            "views/workflow/states.js",
            "views/workflow/timeline.js",
            "views/workflow/view.js",
            "views/workflow/worker.js",
            "views/workflows.js");

    private static final String FOREVER = "public, max-age=31536000, immutable";
    private static final Assets ALL = new Assets();

    @SuppressWarnings("ArrayRecordComponent") // never changed
    private record File(String type, byte[] bytes, byte[] zipped) {}

    private final Map<String, File> files = new LinkedHashMap<>();
    private final String checksum;
    private final byte[] page;

    private Assets() {
        MessageDigest digest = sha256();
        for (String name : FILES) {
            byte[] bytes = read(name);
            files.put(name, new File(type(name), bytes, zip(bytes)));
            digest.update(bytes);
        }
        checksum = HexFormat.of().formatHex(digest.digest(), 0, 8);
        page = new String(read("index.html"), StandardCharsets.UTF_8)
                .replace("{assets}", "assets/" + checksum)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the page. */
    static Answer page() {
        return Answer.bytes("text/html;charset=utf-8", ALL.page);
    }

    /** Returns a file; null if there is none of this name, or the page that asks for it is of another version. */
    static @Nullable Answer file(String checksum, String name, boolean mayBeZipped) {
        File file = checksum.equals(ALL.checksum) ? ALL.files.get(name) : null;
        if (file == null) {
            return null;
        }
        Answer answer = Answer.bytes(file.type, mayBeZipped ? file.zipped : file.bytes)
                .header("Cache-Control", FOREVER)
                .header("Vary", "Accept-Encoding");
        return mayBeZipped ? answer.header("Content-Encoding", "gzip") : answer;
    }

    private static String type(String name) {
        return (name.endsWith(".css") ? "text/css" : "text/javascript") + ";charset=utf-8";
    }

    private static byte[] read(String name) {
        try (InputStream in = Assets.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the file page/%s is missing in the jar".formatted(name));
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] zip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
