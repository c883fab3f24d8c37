package dev.windrow.dashboard;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.wire.Redactor;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options of a {@link DashboardServlet}. Immutable: begin with {@link #DEFAULTS}; each {@code with} method returns a copy. */
@CheckReturnValue
public final class DashboardOptions {
    /** The default maximum length of the body of a request: 4 MiB, in bytes. */
    public static final long DEFAULT_MAX_BODY_BYTES = 4L << 20;

    /** The default options. */
    public static final DashboardOptions DEFAULTS = new DashboardOptions(new Parts());

    private static final Pattern ORIGIN = Pattern.compile("https?://[A-Za-z0-9.\\[\\]:-]+");

    private static final Pattern TRACE_LINK = Pattern.compile("https?://\\S*\\{traceId}\\S*");

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\]");

    private final Parts parts;

    private DashboardOptions(Parts parts) {
        this.parts = parts;
    }

    /** Returns the options with a label of this installation, such as {@code staging}, at most 100 characters; default none. */
    public DashboardOptions withLabel(String label) {
        if (label.isBlank() || label.length() > 100) {
            throw new InvalidRequestException("label '%s' is not allowed: 1 to 100 characters".formatted(label));
        }
        return with(changed -> changed.label = label);
    }

    /**
     * Returns the options with the address of a trace in the system that keeps traces, such as {@code https://traces.example.org/trace/{traceId}}; default
     * none. The page links jobs that have a trace to it.
     *
     * @throws InvalidRequestException if it is not an address of http or https with {@code {traceId}}
     */
    public DashboardOptions withTraceLink(String template) {
        if (!TRACE_LINK.matcher(template).matches()) {
            throw new InvalidRequestException(
                    "trace link '%s' is not allowed: an address with {traceId}, such as https://traces.example.org/trace/{traceId}"
                            .formatted(template));
        }
        return with(changed -> changed.traceLink = template);
    }

    /**
     * Returns the options with another redactor of payloads, results and metadata; default {@link Redactor#standard}. Only a sender with the permission
     * {@link Permission#REVEAL} gets them in full, on request.
     */
    public DashboardOptions withRedactor(Redactor redactor) {
        Objects.requireNonNull(redactor, "redactor");
        return with(changed -> changed.redactor = redactor);
    }

    /**
     * Returns the options with origins whose pages may change jobs, such as {@code https://ops.example.org}; default none but the servlet's own. A page
     * of another origin cannot read answers in any case.
     *
     * @throws InvalidRequestException if one of them is not an origin: scheme, host and port, without a path
     */
    public DashboardOptions withTrustedOrigins(Collection<String> origins) {
        check("origin", origins, ORIGIN);
        return with(changed -> changed.trustedOrigins = Set.copyOf(origins));
    }

    /**
     * Returns the options with origins whose pages may show the API in a frame; default none.
     *
     * @throws InvalidRequestException if one of them is not an origin
     */
    public DashboardOptions withFrameAncestors(Collection<String> origins) {
        check("frame ancestor", origins, ORIGIN);
        return with(changed -> changed.frameAncestors = List.copyOf(origins));
    }

    /**
     * Returns the options with the names of this server; default any. A request for another host name is refused. Set them where the servlet is reachable
     * by browsers on a private network or on this machine: a page of another site may let its own name point to this server (DNS rebinding). Probes of
     * {@code /health} are not checked.
     *
     * @param hosts names or addresses without a port, such as {@code localhost} or {@code [::1]}
     */
    public DashboardOptions withHosts(Collection<String> hosts) {
        check("host", hosts, HOST);
        return with(changed -> changed.hosts =
                hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet()));
    }

    /** Returns the options with jobs of the type {@code exec}, which run a process on a worker. By default they cannot be enqueued; existing ones can be retried. */
    public DashboardOptions withExec() {
        return with(changed -> changed.exec = true);
    }

    /**
     * Returns the options with the CSRF tokens of the framework around the servlet; default none. The servlet itself needs none, because it refuses
     * changes by pages of other origins.
     */
    public DashboardOptions withCsrfToken(CsrfTokens tokens) {
        Objects.requireNonNull(tokens, "tokens");
        return with(changed -> changed.csrf = tokens);
    }

    /**
     * Returns the options without any write: the permissions of an access that allow one do not count. A reveal of confidential values is recorded in the
     * audit, so {@link Permission#REVEAL} does not count either.
     */
    public DashboardOptions withReadOnly() {
        return with(changed -> changed.readOnly = true);
    }

    /**
     * Returns the options with a maximum length of the body of a request, in bytes: 1 KiB to 64 MiB, default {@value #DEFAULT_MAX_BODY_BYTES}.
     *
     * @throws InvalidRequestException if it is out of range
     */
    public DashboardOptions withMaxBodyBytes(long bytes) {
        if (bytes < 1024 || bytes > 64L << 20) {
            throw new InvalidRequestException(
                    "max body bytes %d are not allowed: 1024 to %d".formatted(bytes, 64L << 20));
        }
        return with(changed -> changed.maxBodyBytes = bytes);
    }

    private static void check(String what, Collection<String> texts, Pattern form) {
        for (String text : texts) {
            if (!form.matcher(text).matches()) {
                throw new InvalidRequestException("%s '%s' is not allowed: %s"
                        .formatted(
                                what,
                                text,
                                form == HOST
                                        ? "a name or an address without a port"
                                        : "a scheme, a host and perhaps a port, such as https://ops.example.org"));
            }
        }
    }

    /** Returns the label, or null. */
    public @Nullable String label() {
        return parts.label;
    }

    /** Returns the address of a trace, with {@code {traceId}} in place of its id; or null. */
    public @Nullable String traceLink() {
        return parts.traceLink;
    }

    /** Returns the redactor. */
    public Redactor redactor() {
        return parts.redactor;
    }

    /** Returns the origins whose pages may change jobs. */
    public Set<String> trustedOrigins() {
        return parts.trustedOrigins;
    }

    /** Returns the origins whose pages may show the API in a frame. */
    public List<String> frameAncestors() {
        return parts.frameAncestors;
    }

    /** Returns the names of this server in lower case; empty: any. */
    public Set<String> hosts() {
        return parts.hosts;
    }

    /** Returns the CSRF tokens, or null. */
    public @Nullable CsrfTokens csrfToken() {
        return parts.csrf;
    }

    /** True if jobs of the type {@code exec} can be enqueued. */
    public boolean allowsExec() {
        return parts.exec;
    }

    /** True if nothing can be changed, and nothing revealed. */
    public boolean isReadOnly() {
        return parts.readOnly;
    }

    /** Returns the maximum length of the body of a request, in bytes. */
    public long maxBodyBytes() {
        return parts.maxBodyBytes;
    }

    private DashboardOptions with(Consumer<Parts> change) {
        Parts changed = parts.copy();
        change.accept(changed);
        return new DashboardOptions(changed);
    }

    /** The parts of the options. They do not change after the options are made. */
    private static final class Parts implements Cloneable {
        private @Nullable String label;
        private @Nullable String traceLink;
        private Redactor redactor = Redactor.standard();
        private Set<String> trustedOrigins = Set.of();
        private List<String> frameAncestors = List.of();
        private Set<String> hosts = Set.of();
        private @Nullable CsrfTokens csrf;
        private boolean exec;
        private boolean readOnly;
        private long maxBodyBytes = DEFAULT_MAX_BODY_BYTES;

        private Parts copy() {
            try {
                return (Parts) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
