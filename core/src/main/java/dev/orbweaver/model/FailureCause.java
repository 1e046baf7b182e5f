package dev.orbweaver.model;

/** Why there is no usable response. */
public enum FailureCause {
    /** The host name has no address, or the name server did not answer. */
    DNS("dns"),
    /** No TCP connection. */
    CONNECT("connect"),
    /** The TLS handshake failed or the certificate was not good. */
    TLS("tls"),
    /** No answer, or not all of it, in time. */
    TIMEOUT("timeout"),
    /** The connection broke before the answer was complete. */
    DISCONNECT("disconnect"),
    /** What came is not HTTP. */
    MALFORMED("malformed"),
    /** The answer broke a limit, such as the size of its head. */
    LIMIT("limit"),
    /** A 5xx or 429 answer, still so after the last try. */
    SERVER_ERROR("server-error"),
    /** The redirect led back to where it came from, or through too many hops. */
    REDIRECT_LOOP("redirect-loop"),
    /** The lease was lost ten times: whoever takes this URL does not come back. */
    POISON("poison"),
    /** Its host was given up after resting again and again. */
    HOST_DOWN("host-down"),
    /** An error of our own, named in the detail. */
    INTERNAL("internal"),
    /** Never asked for: it lies in a part of its site that goes on for ever and brings nothing. */
    TRAP("trap"),
    /** The answer came, but reading it for links failed. */
    PARSE("parse");

    private final String id;

    FailureCause(String word) {
        this.id = word;
    }

    public String id() {
        return id;
    }

    /** Whether a retry may help. */
    public boolean isRetryable() {
        return switch (this) {
            case DNS, CONNECT, TLS, TIMEOUT, DISCONNECT, SERVER_ERROR -> true;
            case MALFORMED, LIMIT, REDIRECT_LOOP, POISON, HOST_DOWN, INTERNAL, TRAP, PARSE -> false;
        };
    }
}
