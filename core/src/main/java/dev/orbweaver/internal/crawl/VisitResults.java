package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.VisitResult;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Exchange;

import java.util.Optional;

/** Reads from a capture what a frontier needs to decide when its URL is visited again. */
final class VisitResults {

    private static final long SEED = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    private VisitResults() {}

    /** Returns the result of a visit with a final response. */
    static Optional<VisitResult> of(PreparedCapture prepared) {
        var capture = prepared.capture();
        var hasResponse =
                switch (capture.kind()) {
                    case PAGE, SITEMAP, REDIRECT, ERROR -> true;
                    case FAILED, RETRIED, WITHDRAWN, ROBOTS -> false;
                };
        return hasResponse
                ? capture.exchange().map(exchange -> of(prepared, exchange))
                : Optional.empty();
    }

    private static VisitResult of(PreparedCapture prepared, Exchange exchange) {
        var capture = prepared.capture();
        var digested =
                capture.kind() == Kind.REDIRECT
                        ? exchange.head().field("location").orElse("")
                        : prepared.digest();
        return new VisitResult(
                capture.kind(),
                exchange.status(),
                capture.time(),
                digested.isEmpty() ? 0 : hash(digested),
                capture.page().simHash(),
                exchange.head()
                        .field("last-modified")
                        .flatMap(HttpDate::parse)
                        .filter(at -> at.isBefore(capture.time())),
                capture.visit());
    }

    private static long hash(String text) {
        var hash = SEED;
        for (var i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * PRIME;
        }
        return hash;
    }
}
