package dev.orbweaver.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The metrics of a service, besides those of every crawling process. */
public final class ServiceFigures {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2500),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60)
    };

    private final MeterRegistry registry;

    ServiceFigures(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Shows a count that is kept elsewhere and does not decrease. */
    public void count(String name, String what, LongAdder count) {
        FunctionCounter.builder(name, count, LongAdder::doubleValue)
                .description(what)
                .register(registry);
    }

    /**
     * Shows how many lines of page logs are not in the search index.
     *
     * @param lag read at each scrape
     */
    public void watchIndexLag(Supplier<Number> lag) {
        Gauge.builder("orbweaver.index.lag", lag)
                .description("Lines of page logs that are not in the search index yet")
                .baseUnit("lines")
                .register(registry);
    }

    /**
     * Counts a call of the API.
     *
     * @param route with placeholders, so that the number of series is bounded
     */
    public void addCall(String method, String route, int status, Duration duration) {
        Timer.builder("orbweaver.api.duration")
                .description("Duration of API calls by route and status class")
                .tag("method", method)
                .tag("route", route)
                .tag("status", status / 100 + "xx")
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(duration);
    }
}
