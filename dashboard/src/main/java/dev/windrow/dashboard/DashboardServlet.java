package dev.windrow.dashboard;

import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The page and the HTTP API of a {@link Windrow}, for any container of Jakarta Servlet 6.0 or later and at any path, such as {@code /jobs/*}. The
 * {@link AccessPolicy} of the application decides who may do what. The servlet has no session and no cookie, and does not close the {@code Windrow}.
 *
 * <pre>{@code
 * context.addServlet("jobs", new DashboardServlet(windrow, policy)).addMapping("/jobs/*");
 * }</pre>
 *
 * <p>At the path: the page. Below it: {@code /api/v1/} with all resources, {@code /health/live} and {@code /health/ready}. Only the API needs
 * credentials. Problems are {@code application/problem+json}. At most 32 reads run at once; further ones get status 429.
 */
public final class DashboardServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final List<String> API = List.of("api", "v1");

    private final transient Overview overview;
    private final transient AccessPolicy policy;
    private final transient DashboardOptions options;
    private final transient Problems problems = new Problems(this::log);
    private final transient Map<Route.Pool, Semaphore> pools = new EnumMap<>(Route.Pool.class);
    private final transient Ready ready;
    private final transient Reveals reveals = new Reveals(System::nanoTime);

    /** Creates a servlet with {@link DashboardOptions#DEFAULTS}. */
    public DashboardServlet(Windrow windrow, AccessPolicy policy) {
        this(windrow, policy, DashboardOptions.DEFAULTS);
    }

    /** Creates a servlet. */
    public DashboardServlet(Windrow windrow, AccessPolicy policy, DashboardOptions options) {
        this.overview = new Overview(Objects.requireNonNull(windrow, "windrow"));
        this.policy = Objects.requireNonNull(policy, "policy");
        this.options = Objects.requireNonNull(options, "options");
        this.ready = new Ready(windrow);
        for (Route.Pool pool : Route.Pool.values()) {
            pools.put(pool, new Semaphore(pool.size()));
        }
    }

    /** Answers any request. */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        setSecurityHeaders(response);
        Access access = null;
        Call call = null;
        try {
            List<String> path = path(request);
            if (!path.isEmpty() && path.get(0).equals("health")) {
                send(request, response, health(request, path)); // probes name a host by its address
                return;
            }
            checkHost(request);
            if (path.size() > 1 && path.subList(0, 2).equals(API)) {
                access = access(request);
                Found found = find(request, path.subList(2, path.size()));
                call = call(request, access, found);
                if (path.size() == API.size()) {
                    sendCsrfToken(request, response);
                }
                send(request, response, found.route, call);
            } else {
                send(request, response, page(request, path));
            }
        } catch (IOException e) {
            throw e; // the client is gone, or is not to take a part of the answer for all of it
        } catch (Exception e) {
            if (response.isCommitted()) {
                log("an answer was cut short", e);
                throw new IOException(e);
            }
            response.reset();
            setSecurityHeaders(response);
            boolean unread = call == null && hasBody(request);
            if (unread) {
                // The container does not wait for a body that was not read. It closes the connection, and the client
                // must know.
                response.setHeader("Connection", "close");
            }
            send(request, response, Answer.problem(problems.of(e, call)));
            if (unread && access != null) {
                response.flushBuffer();
                RequestBody.drop(request);
            }
        }
    }

    /** Sends the token with the answer about the sender, which the page reads first. */
    private void sendCsrfToken(HttpServletRequest request, HttpServletResponse response) {
        CsrfTokens tokens = options.csrfToken();
        CsrfTokens.Header header = tokens == null ? null : tokens.of(request);
        if (header != null) {
            response.setHeader("Windrow-Csrf", header.name() + " " + header.token());
        }
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private void setSecurityHeaders(HttpServletResponse response) {
        String ancestors = options.frameAncestors().isEmpty() ? "'none'" : String.join(" ", options.frameAncestors());
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                        + " worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors " + ancestors);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
    }

    /** Returns the segments of the path below the servlet. They are decoded here, because containers decode them in different ways. */
    private static List<String> path(HttpServletRequest request) {
        HttpServletMapping mapping = request.getHttpServletMapping();
        String pattern = mapping.getPattern();
        String mounted = mapping.getMappingMatch() == MappingMatch.PATH && pattern.endsWith("/*")
                ? pattern.substring(0, pattern.length() - 2)
                : "";
        int skipped = Query.segments(request.getContextPath()).size()
                + Query.segments(mounted).size();
        List<String> segments = Query.segments(request.getRequestURI());
        return segments.subList(Math.min(skipped, segments.size()), segments.size());
    }

    private Access access(HttpServletRequest request) {
        if (!isSafe(request)) {
            CrossOrigin.check(request, options.trustedOrigins());
        }
        Access access = Objects.requireNonNull(policy.of(request), "the access policy returned null");
        if (access.isBusy()) {
            throw new Problem(
                            ProblemKind.TOO_MANY_REQUESTS,
                            "too many credentials are checked already; try again in a second")
                    .header("Retry-After", "1");
        }
        if (access.actor() == null) {
            throw new Problem(ProblemKind.UNAUTHORIZED, "credentials are missing or wrong; send valid ones")
                    .header("WWW-Authenticate", access.challenge());
        }
        return options.isReadOnly() ? access.readOnly() : access;
    }

    private static boolean isSafe(HttpServletRequest request) {
        return method(request).equals("GET");
    }

    /** Returns the method of the routes. The container leaves out the body of an answer to HEAD. */
    private static String method(HttpServletRequest request) {
        return request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
    }

    private record Found(Route route, List<String> values) {}

    private static Found find(HttpServletRequest request, List<String> path) {
        Map<String, Found> found = new LinkedHashMap<>();
        for (Route route : Routes.ALL) {
            List<String> values = route.match(path);
            if (values != null) {
                found.putIfAbsent(route.method(), new Found(route, values));
            }
        }
        if (found.isEmpty()) {
            throw Problem.notFound("path '/%s' does not exist; openapi.json lists all paths"
                    .formatted(Problem.shortened(String.join("/", path))));
        }
        Found route = found.get(method(request));
        if (route == null) {
            throw notAllowed(request, found.keySet().stream());
        }
        return route;
    }

    private static Problem notAllowed(HttpServletRequest request, Stream<String> methods) {
        String allowed = methods.flatMap(method -> method.equals("GET") ? Stream.of("GET", "HEAD") : Stream.of(method))
                .collect(Collectors.joining(", "));
        return new Problem(
                        ProblemKind.METHOD_NOT_ALLOWED,
                        "method %s is not allowed here; allowed: %s"
                                .formatted(Problem.shortened(request.getMethod()), allowed))
                .header("Allow", allowed);
    }

    /** Checks the permission, and then the parameters and the body. */
    private Call call(HttpServletRequest request, Access access, Found found) throws IOException {
        Route route = found.route;
        require(access, route.permission());
        if (route.isWholeStore() && access.queues() != null) {
            throw Visible.allQueues(access, "this");
        }
        Map<String, Object> path = new LinkedHashMap<>();
        for (int i = 0; i < route.at().size(); i++) {
            Field field = route.at().get(i);
            path.put(field.name(), field.readAll(List.of(found.values.get(i))));
        }
        Values query = Query.read(request.getQueryString(), route.query());
        Values headers = headers(request, route);
        Values body = route.reads() ? Values.NONE : RequestBody.read(request, route.body(), options.maxBodyBytes());
        for (Route.Condition condition : route.conditions()) {
            if (condition.holds(query) || condition.holds(body)) {
                require(access, condition.needed());
            }
        }
        return new Call(overview, options, access, new Call.Input(route, new Values(path), query, headers, body));
    }

    /** Reads the version of a change. A change that takes none is refused, because it would be made at any version. */
    private static Values headers(HttpServletRequest request, Route route) {
        List<String> versions = Collections.list(request.getHeaders("If-Match"));
        if (versions.isEmpty() || route.reads()) {
            return Values.NONE;
        }
        if (route.headers().isEmpty()) {
            throw Problem.invalid("If-Match is not allowed here: it is for a change of one job");
        }
        Field field = route.headers().get(0);
        return new Values(Map.of(field.name(), field.readAll(versions)));
    }

    private void require(Access access, @Nullable Permission permission) {
        if (permission != null && !access.permissions().contains(permission)) {
            throw Problem.forbidden(
                    permission,
                    options.isReadOnly() && permission == Permission.REVEAL
                            ? "this server is read-only: it cannot record who reads confidential values, so it shows none"
                            : options.isReadOnly() && !permission.isReading()
                                    ? "this server is read-only"
                                    : "you do not have the permission " + permission.word());
        }
    }

    /** Answers within the limit of its pool. A slow client that reads a complete answer does not count, because the work is done. */
    private void send(HttpServletRequest request, HttpServletResponse response, Route route, Call call)
            throws IOException {
        Semaphore pool = Objects.requireNonNull(pools.get(route.pool()));
        if (!pool.tryAcquire()) {
            throw new Problem(
                            ProblemKind.TOO_MANY_REQUESTS,
                            "%d such requests are running already; try again in a second"
                                    .formatted(route.pool().size()))
                    .header("Retry-After", "1");
        }
        Answer answer;
        try {
            answer = route.handler().answer(call);
            // The length and the tag of an answer tell something of it, so a HEAD shows nothing only of a stream, which
            // has neither.
            boolean shows = answer.stream() == null || !request.getMethod().equals("HEAD");
            if (call.isRevealing() && shows) {
                reveals.record(call.windrow(), call.actor(), call.revealed());
            }
            if (answer.stream() != null) {
                send(request, response, answer);
                return;
            }
        } finally {
            pool.release();
            if (!route.reads()) {
                overview.changed();
            }
        }
        send(request, response, answer);
    }

    /** Refuses a name that is not this server's: a page of another site may have let its name point here. */
    private void checkHost(HttpServletRequest request) {
        String host = request.getServerName().toLowerCase(Locale.ROOT);
        if (!options.hosts().isEmpty() && !options.hosts().contains(host)) {
            throw new Problem(
                    ProblemKind.CROSS_ORIGIN,
                    "host '%s' is not a name of this server; allowed: %s"
                            .formatted(
                                    Problem.shortened(host),
                                    options.hosts().stream().sorted().collect(Collectors.joining(", "))));
        }
    }

    private Answer health(HttpServletRequest request, List<String> path) {
        String word = path.size() == 2 ? path.get(1) : "";
        if (!word.equals("live") && !word.equals("ready")) {
            throw missing(path);
        }
        requireSafe(request);
        boolean ok = word.equals("live") || ready.isReady();
        return Answer.text(ok ? 200 : 503, "text/plain;charset=utf-8", (ok ? word : "not " + word) + "\n");
    }

    private static Answer page(HttpServletRequest request, List<String> path) {
        Answer answer = null;
        if (path.isEmpty()) {
            String uri = request.getRequestURI();
            // The addresses in the page are relative.
            answer = uri.endsWith("/")
                    ? Assets.page()
                    : Answer.text(302, "text/plain", "")
                            .header("Location", uri.substring(uri.lastIndexOf('/') + 1) + "/");
        } else if (path.size() > 2 && path.get(0).equals("assets")) {
            String encodings = request.getHeader("Accept-Encoding");
            answer = Assets.file(
                    path.get(1),
                    String.join("/", path.subList(2, path.size())),
                    encodings != null && encodings.contains("gzip"));
        }
        if (answer == null) {
            throw missing(path);
        }
        requireSafe(request);
        return answer;
    }

    private static Problem missing(List<String> path) {
        return Problem.notFound("path '/%s' does not exist; the API is below api/v1/"
                .formatted(Problem.shortened(String.join("/", path))));
    }

    private static void requireSafe(HttpServletRequest request) {
        if (!isSafe(request)) {
            throw notAllowed(request, Stream.of("GET"));
        }
    }

    private void send(HttpServletRequest request, HttpServletResponse response, Answer answer) throws IOException {
        answer.headers().forEach(response::setHeader);
        // A filter with an end time is compared with stored times. The Date of the container is by another clock, and
        // cut to seconds.
        response.setHeader("Windrow-Time", overview.windrow().monitor().now().toString());
        Answer.Body stream = answer.stream();
        if (stream == null) {
            if (isSafe(request) && answer.status() == HttpServletResponse.SC_OK) {
                String tag = tag(answer);
                response.setHeader("ETag", tag);
                if (isKnown(request.getHeader("If-None-Match"), tag)) {
                    response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
                    return;
                }
            }
            response.setStatus(answer.status());
            response.setContentType(answer.type());
            response.setContentLength(answer.bytes().length);
            response.getOutputStream().write(answer.bytes());
        } else {
            response.setStatus(answer.status());
            response.setContentType(answer.type());
            if (request.getMethod().equals("HEAD")) {
                return;
            }
            try {
                stream.write(response.getOutputStream());
            } catch (WindrowException e) {
                if (response.isCommitted()) {
                    throw new IOException(e);
                }
                throw e;
            }
        }
    }

    /** Returns a strong tag: equal tags mean equal bytes. */
    private static String tag(Answer answer) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(answer.bytes());
            return "\"" + answer.tagPrefix()
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, 16)) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isKnown(@Nullable String header, String tag) {
        return header != null
                && Stream.of(header.split(","))
                        .map(String::strip)
                        .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
    }

    /** True if the store can be read and the background tasks make progress; asked at most once a second. */
    private static final class Ready {
        private final Windrow windrow;
        private final ReentrantLock lock = new ReentrantLock();
        // Guarded by lock.
        private long at = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);
        private boolean last;

        Ready(Windrow windrow) {
            this.windrow = windrow;
        }

        boolean isReady() {
            lock.lock();
            try {
                if (System.nanoTime() - at >= TimeUnit.SECONDS.toNanos(1)) {
                    last = windrow.monitor().health().isOk() && answers();
                    at = System.nanoTime();
                }
                return last;
            } finally {
                lock.unlock();
            }
        }

        private boolean answers() {
            try {
                boolean unused = windrow.job(1).exists();
                return true;
            } catch (StoreUnavailableException e) {
                return false;
            }
        }
    }
}
