package dev.orbweaver.server.metrics;

import dev.orbweaver.model.Timings;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;

/** Durations of requests, by phase. */
public final class RequestTimes {

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

    private final Timer dns;
    private final Timer connect;
    private final Timer tls;
    private final Timer server;
    private final Timer body;
    private final Timer total;

    RequestTimes(MeterRegistry registry) {
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

    public void add(Timings timings) {
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
