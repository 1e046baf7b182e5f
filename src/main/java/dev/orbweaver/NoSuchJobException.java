package dev.orbweaver;

import dev.orbweaver.model.JobId;

/** Somebody asked for a job that is not there. */
public final class NoSuchJobException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NoSuchJobException(JobId id) {
        super("There is no job " + id.number() + ".");
    }
}
