package dev.orbweaver.server;

import static java.time.ZoneOffset.UTC;

import dev.orbweaver.model.JobId;

import io.javalin.http.Context;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** One API call: parameters, which are validated when they are read, and the response. */
record ApiCall(Context context) {

    private static final Logger LOG = LoggerFactory.getLogger(ApiCall.class);

    static final int LIMIT_DEFAULT = 50;
    static final int LIMIT_MAX = 500;
    static final int OFFSET_MAX = 10_000;

    /** Each term is searched in three fields, and Lucene allows 1,024 clauses per query. */
    static final int TERMS_MAX = 256;

    /** The first code point of symbols, kana and ideographs. */
    private static final int FIRST_WITHOUT_SPACES = 0x2190;

    static final int BODY_MAX = 1 << 20;

    /**
     * How much of an oversized body is read and discarded. A client that is still sending when the
     * connection closes would not receive the response.
     */
    private static final int DISCARDED_MAX = 16 << 20;

    interface Handler {
        void handle(ApiCall apiCall) throws Exception;
    }

    JobId job() {
        return new JobId(Math.toIntExact(number("id", context.pathParam("id"))));
    }

    int task() {
        return Math.toIntExact(number("export", context.pathParam("task")));
    }

    int schedule() {
        return Math.toIntExact(number("id", context.pathParam("id")));
    }

    long seq() {
        return number("seq", context.pathParam("seq"));
    }

    private static long number(String name, String text) {
        if (!text.matches("\\d{1,9}")) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "No " + name + " '" + text + "'; expected a number.");
        }
        return Long.parseLong(text);
    }

    Optional<String> query(String name) {
        return Optional.ofNullable(context.queryParam(name)).filter(text -> !text.isEmpty());
    }

    /** Rejects a query parameter that the route does not have, or that is given twice. */
    void requireKnownParameters(List<String> accepted) {
        for (var parameter : context.queryParamMap().entrySet()) {
            var name = parameter.getKey();
            if (!accepted.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown query parameter '%s'; %s."
                                .formatted(
                                        name,
                                        accepted.isEmpty()
                                                ? "this call has none"
                                                : "expected " + String.join(", ", accepted)));
            }
            if (parameter.getValue().size() > 1) {
                throw ProblemException.inField(
                        name, "Query parameter '%s' is given more than once.".formatted(name));
            }
        }
    }

    /** Returns a time; a date is its beginning in UTC. */
    Optional<Instant> time(String name) {
        var text = query(name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            // A plus sign that was not encoded arrives as a space.
            return Optional.of(
                    text.get().matches("\\d{4}-\\d\\d-\\d\\d")
                            ? LocalDate.parse(text.get()).atStartOfDay(UTC).toInstant()
                            : OffsetDateTime.parse(text.get().replace(' ', '+')).toInstant());
        } catch (DateTimeParseException e) {
            throw ProblemException.inField(
                    name,
                    "%s must be a time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31, not '%s'."
                            .formatted(name, text.get()));
        }
    }

    String searchTerms(String name) {
        var text = query(name).orElse("");
        if (countTerms(text) > TERMS_MAX) {
            throw ProblemException.inField(
                    name, "%s accepts at most %d words.".formatted(name, TERMS_MAX));
        }
        return text;
    }

    /**
     * Returns an upper bound of the number of words: runs of letters and digits, and each character
     * of a script without spaces between words (UAX #29).
     */
    private static int countTerms(String text) {
        var count = 0;
        var inside = false;
        for (var sign : text.codePoints().toArray()) {
            var alone = sign >= FIRST_WITHOUT_SPACES && !Character.isWhitespace(sign);
            var letter = !alone && Character.isLetterOrDigit(sign);
            count += alone || (letter && !inside) ? 1 : 0;
            inside = letter;
        }
        return count;
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(context.header(name));
    }

    int number(String name, int fallback, int least, int most) {
        var text = query(name);
        if (text.isEmpty()) {
            return fallback;
        }
        if (!text.get().matches("\\d{1,9}")
                || Integer.parseInt(text.get()) < least
                || Integer.parseInt(text.get()) > most) {
            throw ProblemException.inField(
                    name,
                    "%s must be a number from %d to %d, not '%s'."
                            .formatted(name, least, most, text.get()));
        }
        return Integer.parseInt(text.get());
    }

    int limit() {
        return number("limit", LIMIT_DEFAULT, 0, LIMIT_MAX);
    }

    int offset() {
        return number("offset", 0, 0, OFFSET_MAX);
    }

    /** Returns the body as a JSON object; an empty body is an empty object. */
    JsonNode body() throws IOException {
        var length = context.req().getContentLengthLong();
        // A client that waits for "100 Continue" has not sent its body yet.
        if (length > BODY_MAX + DISCARDED_MAX
                || (length > BODY_MAX && header("Expect").isPresent())) {
            throw tooLarge();
        }
        var input = context.req().getInputStream();
        var bytes = input.readNBytes(BODY_MAX + 1);
        if (bytes.length > BODY_MAX) {
            discard(input);
            throw tooLarge();
        }
        if (bytes.length == 0) {
            return JsonMapper.shared().createObjectNode();
        }
        var type = header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        if (!type.startsWith("application/json")) {
            throw ProblemException.of(
                    ProblemException.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type must be application/json, not '" + type + "'.");
        }
        try {
            var json = JsonMapper.shared().readTree(bytes);
            if (!json.isObject()) {
                throw ProblemException.of(
                        ProblemException.BAD_REQUEST, "The body must be a JSON object.");
            }
            return json;
        } catch (JacksonException e) {
            throw ProblemException.of(
                    ProblemException.BAD_REQUEST,
                    "The body is not valid JSON (line %d, column %d)."
                            .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
        }
    }

    private static void discard(InputStream input) {
        try {
            var _ = input.skip(DISCARDED_MAX);
        } catch (IOException e) {
            LOG.debug("client closed the connection before the end of its body", e);
        }
    }

    private static ProblemException tooLarge() {
        return ProblemException.of(
                ProblemException.TOO_LARGE,
                "The body is larger than the maximum of " + BODY_MAX + " bytes.");
    }

    void json(Object value) {
        json(200, value);
    }

    private record Items(List<?> items, long total, int offset, int limit) {}

    /** Sends the page of a list that offset and limit select. */
    <T> void jsonItems(List<T> all, Function<T, ?> each) {
        jsonItems(all.stream().skip(offset()).limit(limit()).map(each).toList(), all.size());
    }

    void jsonItems(List<?> items, long total) {
        json(new Items(items, total, offset(), limit()));
    }

    void json(int status, Object value) {
        context.status(status)
                .contentType("application/json; charset=utf-8")
                .result(JsonMapper.shared().writeValueAsBytes(value));
    }

    void problem(ProblemException problem) {
        context.status(problem.status())
                .contentType("application/problem+json; charset=utf-8")
                .result(problem.toJson());
    }
}
