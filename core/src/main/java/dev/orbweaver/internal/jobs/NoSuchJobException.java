package dev.orbweaver.internal.jobs;

import dev.orbweaver.model.JobId;

public final class NoSuchJobException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NoSuchJobException(JobId id) {
        super("There is no job " + id.number() + ".");
    }
}
