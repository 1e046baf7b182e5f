package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

/**
 * A host's position in the {@link HostSchedule}. Unlike the rest of a {@link HostQueue} it is
 * neither in the log nor in a snapshot: {@link HostSchedule} and the frontier set it, and a restart
 * begins with a new one.
 */
final class HostTurn {

    boolean inSchedule;
    State state = State.IDLE;
    long dueAt;

    /**
     * Until when the host waits for a gate or, start to start, for its own delay. After a restart
     * every gate is closed for its full delay instead.
     */
    long heldUntil;

    /** Whether the end of the host's last block was logged. */
    boolean blockEndLogged;

    boolean isWaiting() {
        return state == State.WAITING || state == State.RESTING;
    }

    void hold(long until) {
        heldUntil = Math.max(heldUntil, until);
    }

    void setClockBack(long by) {
        heldUntil = heldUntil == 0 ? 0 : heldUntil - by;
    }
}
