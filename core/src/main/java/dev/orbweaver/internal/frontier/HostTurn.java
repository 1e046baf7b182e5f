package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

/**
 * A host's position in the {@link HostSchedule}. Unlike the rest of a {@link HostQueue} it is
 * neither in the log nor in a snapshot: {@link HostSchedule} and the frontier set it, and a restart
 * begins with a new one.
 */
final class HostTurn {

    boolean inSchedule;
    State state = State.IDLE;

    /** When the host is due; of a ready host, when it became due. */
    long dueAt;

    /**
     * Until when the host waits for a gate or, start to start, for its own delay. After a restart
     * every gate is closed for its full delay instead.
     */
    long heldUntil;

    /** The jobs that have or had URLs on the host; null if there is one at most. */
    @Nullable HostJobs jobs;

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
