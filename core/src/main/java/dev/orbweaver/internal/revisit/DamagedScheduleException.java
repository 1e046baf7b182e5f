package dev.orbweaver.internal.revisit;

import java.io.IOException;

/** The files of a schedule cannot be used. They are derived from the page log and built again. */
public final class DamagedScheduleException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedScheduleException(String message) {
        super(message);
    }
}
