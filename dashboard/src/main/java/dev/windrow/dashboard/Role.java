package dev.windrow.dashboard;

import static dev.windrow.dashboard.Permission.CONTROL;
import static dev.windrow.dashboard.Permission.DIAGNOSE;
import static dev.windrow.dashboard.Permission.ENQUEUE;
import static dev.windrow.dashboard.Permission.OPERATE;
import static dev.windrow.dashboard.Permission.REVEAL;
import static dev.windrow.dashboard.Permission.VIEW;

import java.util.Set;

/** A usual set of permissions. */
public enum Role {
    /** Reads, and changes nothing. */
    VIEWER,
    /** Does all but delete. */
    OPERATOR,
    /** Does everything. */
    ADMIN,
    /** Enqueues jobs, and reads nothing. */
    PRODUCER;

    /** Returns the permissions of the role. */
    public Set<Permission> permissions() {
        return switch (this) {
            case VIEWER -> Set.of(VIEW);
            case OPERATOR -> Set.of(VIEW, REVEAL, ENQUEUE, OPERATE, CONTROL, DIAGNOSE);
            case ADMIN -> Set.of(Permission.values());
            case PRODUCER -> Set.of(ENQUEUE);
        };
    }
}
