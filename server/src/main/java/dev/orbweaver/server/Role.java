package dev.orbweaver.server;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What the bearer of a token may do; each role includes those before it. */
public enum Role {
    /** Reads jobs, pages, events, exports and metrics. */
    VIEWER,
    /** Submits, controls and deletes jobs and schedules, and fetches pages. */
    OPERATOR,
    /** Reads the audit log and the list of tokens. */
    ADMIN;

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> byId(String id) {
        return Arrays.stream(values()).filter(role -> role.id().equals(id)).findFirst();
    }

    boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
