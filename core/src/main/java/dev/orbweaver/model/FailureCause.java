package dev.orbweaver.model;

/** The kinds of failures: why there is no usable response. */
public enum FailureCause {
    /** The host name has no address, or the name server did not respond. */
    DNS("dns"),
    /** No TCP connection. */
    CONNECT("connect"),
    /** The TLS handshake failed, or the certificate is not valid. */
    TLS("tls"),
    /** The response was not complete within the time limit. */
    TIMEOUT("timeout"),
    /** The connection closed before the response was complete. */
    DISCONNECT("disconnect"),
    /** The response is not valid HTTP. */
    MALFORMED("malformed"),
    /** The response exceeded a limit, such as the size of its head. */
    LIMIT("limit"),
    /** A response with status 5xx or 429, also after the last retry. */
    SERVER_ERROR("server-error"),
    /** Redirects form a loop, or there are too many in a row. */
    REDIRECT_LOOP("redirect-loop"),
    /** The lease expired ten times: workers that process this URL probably crash. */
    POISON("poison"),
    /** The crawl gave up the host after repeated backoff. */
    HOST_DOWN("host-down"),
    /** An error of the crawler, described in the detail. */
    INTERNAL("internal"),
    /** Not requested: the URL is in an unbounded part of its site that has no new content. */
    TRAP("trap"),
    /** The response was received, but parsing it failed. */
    PARSE("parse");

    private final String id;

    FailureCause(String id) {
        this.id = id;
    }

    /** Returns the id used in the page log and reports. */
    public String id() {
        return id;
    }

    /** Returns whether the request is repeated, up to {@code max-retries} times. */
    public boolean isRetryable() {
        return switch (this) {
            case DNS, CONNECT, TLS, TIMEOUT, DISCONNECT, SERVER_ERROR -> true;
            case MALFORMED, LIMIT, REDIRECT_LOOP, POISON, HOST_DOWN, INTERNAL, TRAP, PARSE -> false;
        };
    }
}
