package dev.orbweaver.export;

/** A query that DuckDB rejects. */
public final class QueryException extends Exception {

    private static final long serialVersionUID = 1;

    QueryException(String message) {
        super(message);
    }
}
