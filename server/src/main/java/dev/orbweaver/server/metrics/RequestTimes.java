package dev.orbweaver.server.metrics;

import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Timings;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;

/** Responses by status class, and durations of requests by phase. */
public final class RequestTimes {

    private static final String[] STATUS_CLASSES = {"1xx", "2xx", "3xx", "4xx", "5xx"};

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60)
    };

    private final Counter[] responses = new Counter[STATUS_CLASSES.length];
    private final Timer dns;
    private final Timer connect;
    private final Timer tls;
    private final Timer server;
    private final Timer body;
    private final Timer total;

    RequestTimes(MeterRegistry registry) {
        for (var i = 0; i < responses.length; i++) {
            responses[i] =
                    Counter.builder("orbweaver.responses")
                            .description("Responses by class of their status code")
                            .tag("status", STATUS_CLASSES[i])
                            .register(registry);
        }
        this.dns = timer(registry, "dns");
        this.connect = timer(registry, "connect");
        this.tls = timer(registry, "tls");
        this.server = timer(registry, "server");
        this.body = timer(registry, "body");
        this.total = timer(registry, "total");
    }

    private static Timer timer(MeterRegistry registry, String phase) {
        return Timer.builder("orbweaver.request.duration")
                .description("Duration of requests by phase")
                .tag("phase", phase)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    /** Counts a response. */
    public void add(Exchange exchange) {
        var known = Math.clamp(exchange.status() / 100, 0, responses.length);
        if (known > 0) {
            responses[known - 1].increment();
        }
        add(exchange.timings());
    }

    void add(Timings timings) {
        if (timings.lookup().isPositive()) {
            dns.record(timings.lookup());
        }
        if (timings.connect().isPositive()) {
            connect.record(timings.connect());
        }
        if (timings.tls().isPositive()) {
            tls.record(timings.tls());
        }
        server.record(timings.firstByte());
        total.record(timings.total());
        var rest =
                timings.total()
                        .minus(timings.connect())
                        .minus(timings.tls())
                        .minus(timings.firstByte());
        body.record(rest.isNegative() ? Duration.ZERO : rest);
    }
}
