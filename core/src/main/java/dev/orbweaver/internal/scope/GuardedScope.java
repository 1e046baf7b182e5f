package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A scope or filter of a program. What it refuses is marked as a rule of the program. An exception
 * or null refuses the URL, and is logged.
 */
public final class GuardedScope implements Scope {

    private static final Logger LOG = LoggerFactory.getLogger(GuardedScope.class);
    private static final String RULE = "a rule of the program: ";

    /** Maximum number of failures that are logged: a filter can fail for every link. */
    private static final int FAILURES_LOGGED = 100;

    private final Scope scope;
    private final AtomicInteger failures;

    public GuardedScope(Scope scope) {
        this(scope, new AtomicInteger());
    }

    private GuardedScope(Scope scope, AtomicInteger failures) {
        this.scope = scope;
        this.failures = failures;
    }

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        try {
            return marked(scope.evaluate(url, hop, depth));
        } catch (RuntimeException | Error e) {
            return Scope.refuse(failed(url, e));
        }
    }

    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        try {
            return marked(scope.evaluate(head, hop));
        } catch (RuntimeException | Error e) {
            return Scope.refuse(failed("a response head", e));
        }
    }

    @Override
    public Optional<String> refusalReason(CrawlUrl url, Hop hop, int depth) {
        try {
            return scope.refusalReason(url, hop, depth).map(reason -> RULE + reason);
        } catch (RuntimeException | Error e) {
            return Optional.of(failed(url, e));
        }
    }

    private static Verdict marked(Verdict verdict) {
        Objects.requireNonNull(verdict, "the scope returned null");
        return verdict.isAccepted()
                ? verdict
                : new Verdict(verdict.refusal(), RULE + verdict.rule());
    }

    /** Logs a failure and returns it as a reason. */
    private String failed(Object subject, Throwable error) {
        var count = failures.incrementAndGet();
        if (count <= FAILURES_LOGGED) {
            LOG.warn("scope or link filter failed for {}; it is refused", subject, error);
        }
        if (count == FAILURES_LOGGED) {
            LOG.warn("further failures of this scope or link filter are not logged");
        }
        return RULE + "failed with " + error;
    }

    @Override
    public Scope withSeed(CrawlUrl seed) {
        return new GuardedScope(scope.withSeed(seed), failures);
    }

    @Override
    public String describe() {
        return scope.describe();
    }
}
