package dev.windrow.dashboard;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The access of the sender of a request: an actor, permissions, and the visible queues. Immutable. */
@CheckReturnValue
public final class Access {
    private final @Nullable String actor;
    private final Set<Permission> permissions;
    private final @Nullable Set<String> queues;
    private final String challenge;
    private final boolean busy;

    private Access(
            @Nullable String actor,
            Set<Permission> permissions,
            @Nullable Set<String> queues,
            String challenge,
            boolean busy) {
        this.actor = actor;
        this.permissions = permissions;
        this.queues = queues;
        this.challenge = challenge;
        this.busy = busy;
    }

    /** Returns the access of an unknown sender: the answer is status 401 and asks for a bearer token. */
    public static Access anonymous() {
        return anonymous("Bearer");
    }

    /**
     * Returns the access of an unknown sender: the answer is status 401.
     *
     * @param challenge the value of the header {@code WWW-Authenticate}, such as {@code Basic realm="jobs"}
     */
    public static Access anonymous(String challenge) {
        return new Access(null, Set.of(), null, Objects.requireNonNull(challenge, "challenge"), false);
    }

    /** Returns the access of a sender whose credentials cannot be checked now, because too many others are: the answer is status 429. */
    public static Access busy() {
        return new Access(null, Set.of(), null, "", true);
    }

    /**
     * Returns the access of an actor with the permissions of a role, to all queues.
     *
     * @param actor the name in the event log and the audit: 1 to 200 characters, no control characters
     */
    public static Access of(String actor, Role role) {
        return of(actor, role.permissions());
    }

    /** Returns the access of an actor with these permissions, to all queues. */
    public static Access of(String actor, Collection<Permission> permissions) {
        return new Access(Objects.requireNonNull(actor, "actor"), Set.copyOf(permissions), null, "", false);
    }

    /**
     * Returns this access for these queues only. Jobs, schedules and limits of other queues look like missing ones. Parts of the API that concern the
     * whole store are refused: failures by error code, limits of types and keys, retention and the diagnosis.
     */
    public Access withQueues(Collection<String> queues) {
        return new Access(actor, permissions, Set.copyOf(queues), challenge, false);
    }

    /** Returns this access without the permissions whose use writes to the store. */
    Access readOnly() {
        EnumSet<Permission> reading = EnumSet.noneOf(Permission.class);
        permissions.stream().filter(Permission::writesNothing).forEach(reading::add);
        return new Access(actor, Set.copyOf(reading), queues, challenge, false);
    }

    /** Returns the actor; null if the sender is unknown. */
    public @Nullable String actor() {
        return actor;
    }

    /** Returns the permissions. */
    public Set<Permission> permissions() {
        return permissions;
    }

    /** Returns the visible queues; null: all. */
    public @Nullable Set<String> queues() {
        return queues;
    }

    /** Returns the challenge of the answer to an unknown sender. */
    String challenge() {
        return challenge;
    }

    /** True if the credentials could not be checked. */
    boolean isBusy() {
        return busy;
    }

    /** True if jobs of this queue are visible. */
    boolean sees(String queue) {
        return queues == null || queues.contains(queue);
    }
}
