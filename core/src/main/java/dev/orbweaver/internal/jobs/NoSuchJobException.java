package dev.orbweaver.internal.jobs;

import dev.orbweaver.model.JobId;

/** Somebody asked for a job that is not there. */
public final class NoSuchJobException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NoSuchJobException(JobId id) {
        super("There is no job " + id.number() + ".");
    }
}
