package dev.orbweaver.model;

/**
 * What a server has said about the version of a document that is stored. A request with validators
 * is answered with status 304 while the document is the same (RFC 9110, 13.1).
 *
 * @param etag the value of {@code ETag}, empty if there is none
 * @param lastModified the value of {@code Last-Modified}, empty if there is none
 */
public record Validators(String etag, String lastModified) {

    /** The request is not conditional. */
    public static final Validators NONE = new Validators("", "");

    private static final int LENGTH_MAX = 1024;

    /** Reads the validators of a stored response. */
    public static Validators of(ResponseHead head) {
        return new Validators(value(head, "etag"), value(head, "last-modified"));
    }

    /** Returns a field that can be sent in a request as it is; otherwise an empty text. */
    private static String value(ResponseHead head, String name) {
        var value = head.field(name).orElse("").strip();
        var sendable =
                value.length() <= LENGTH_MAX && value.chars().allMatch(c -> c >= ' ' && c < 0x7f);
        return sendable ? value : "";
    }

    /** Returns whether there is neither. */
    public boolean isEmpty() {
        return etag.isEmpty() && lastModified.isEmpty();
    }
}
