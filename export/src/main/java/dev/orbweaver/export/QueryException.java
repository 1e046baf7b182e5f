package dev.orbweaver.export;

/** A question that cannot be answered as it was asked. */
public final class QueryException extends Exception {

    private static final long serialVersionUID = 1;

    QueryException(String message) {
        super(message);
    }
}
