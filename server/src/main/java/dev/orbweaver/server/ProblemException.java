package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.Optional;

/** A failed call, sent as problem details (RFC 9457). */
final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    static final int BAD_REQUEST = 400;
    static final int UNAUTHORISED = 401;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int CONFLICT = 409;
    static final int TOO_LARGE = 413;
    static final int UNSUPPORTED_MEDIA_TYPE = 415;
    static final int MISDIRECTED = 421;
    static final int UNPROCESSABLE = 422;
    static final int TOO_MANY_REQUESTS = 429;
    static final int INTERNAL_ERROR = 500;
    static final int BAD_GATEWAY = 502;
    static final int UNAVAILABLE = 503;
    static final int GATEWAY_TIMEOUT = 504;

    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record Details(
            String type, String title, int status, String detail, Optional<String> field) {}

    private final int status;
    private final transient Optional<String> field;
    private final transient Optional<Duration> retryAfter;

    private ProblemException(int status, String detail, Optional<String> field) {
        this(status, detail, field, Optional.empty());
    }

    private ProblemException(
            int status, String detail, Optional<String> field, Optional<Duration> retryAfter) {
        super(detail);
        this.status = status;
        this.field = field;
        this.retryAfter = retryAfter;
    }

    static ProblemException of(int status, String detail) {
        return new ProblemException(status, detail, Optional.empty());
    }

    /** Creates a problem with an invalid field of the request. */
    static ProblemException inField(String field, String detail) {
        return new ProblemException(BAD_REQUEST, detail, Optional.of(field));
    }

    static ProblemException inField(int status, String field, String detail) {
        return new ProblemException(status, detail, Optional.of(field));
    }

    /** Creates a problem with status 429 that is over after a time. */
    static ProblemException tooMany(Duration retryAfter, String detail) {
        return new ProblemException(
                TOO_MANY_REQUESTS, detail, Optional.empty(), Optional.of(retryAfter));
    }

    /** Returns the value of Retry-After: whole seconds, rounded up; empty if there is none. */
    Optional<String> retryAfter() {
        return retryAfter.map(
                delay -> Long.toString(Math.max(1, delay.plusMillis(999).toSeconds())));
    }

    int status() {
        return status;
    }

    byte[] toJson() {
        var detail = String.valueOf(getMessage());
        var details = new Details("about:blank", title(status), status, detail, field);
        return JsonMapper.shared().writeValueAsBytes(details);
    }

    private static String title(int status) {
        return switch (status) {
            case BAD_REQUEST -> "Bad Request";
            case UNAUTHORISED -> "Unauthorized";
            case FORBIDDEN -> "Forbidden";
            case NOT_FOUND -> "Not Found";
            case METHOD_NOT_ALLOWED -> "Method Not Allowed";
            case CONFLICT -> "Conflict";
            case TOO_LARGE -> "Content Too Large";
            case UNSUPPORTED_MEDIA_TYPE -> "Unsupported Media Type";
            case MISDIRECTED -> "Misdirected Request";
            case UNPROCESSABLE -> "Unprocessable Content";
            case TOO_MANY_REQUESTS -> "Too Many Requests";
            case BAD_GATEWAY -> "Bad Gateway";
            case UNAVAILABLE -> "Service Unavailable";
            case GATEWAY_TIMEOUT -> "Gateway Timeout";
            default -> "Internal Server Error";
        };
    }
}
