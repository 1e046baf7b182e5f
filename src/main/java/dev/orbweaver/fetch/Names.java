package dev.orbweaver.fetch;

import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.model.CrawlUrl;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * From host names to the one address that will be dialled. A name is looked up once per visit; the
 * address that passed the guard is the address that is pinned for the request, so a name server
 * that changes its mind in between changes nothing. What is remembered is what the name server
 * said, never a judgement: the guard looks at every address every time.
 *
 * <p>Many who ask for one name at once wait for one look-up. IPv4 addresses come first, and those
 * to which a connection failed a short while ago last: so a host with one broken address, or a
 * network where only one family works, is reached at the next try.
 */
final class Names implements AutoCloseable {

    private static final int REMEMBERED_MAX = 100_000;

    /** Of one name; times the names remembered, all that a name server may send is too much. */
    private static final int ADDRESSES_MAX = 16;

    private static final int FAILED_MAX = 10_000;
    private static final int UNCLAIMED_MAX = 10_000;
    private static final Duration FAILED_FOR = Duration.ofMinutes(5);
    private static final Duration UNCLAIMED_FOR = Duration.ofMinutes(1);

    /** Who is asked for names that are not known. */
    interface Oracle extends AutoCloseable {

        /** Begins a look-up; the future ends in an answer, be it that there is none. */
        CompletableFuture<Answer> ask(String host);

        @Override
        void close();
    }

    /**
     * What a name server said.
     *
     * @param addresses none when there are none
     * @param why of there being none
     * @param lasts how long this may be remembered
     */
    record Answer(List<InetAddress> addresses, String why, Duration lasts) {

        Answer {
            addresses = addresses.stream().limit(ADDRESSES_MAX).toList();
        }
    }

    private final FetchSettings settings;
    private final Oracle oracle;
    private final LongSupplier nanos;
    private final ExpiringMap<String, Answer> remembered;
    private final ExpiringMap<InetAddress, Boolean> failed;
    private final ExpiringMap<String, Duration> unclaimed;
    private final ConcurrentHashMap<String, CompletableFuture<Answer>> asking =
            new ConcurrentHashMap<>();

    /**
     * Remembers as long as the oracle says.
     *
     * @param nanos the monotonic clock
     */
    Names(FetchSettings settings, Oracle oracle, LongSupplier nanos) {
        this.settings = settings;
        this.oracle = oracle;
        this.nanos = nanos;
        this.remembered = new ExpiringMap<>(REMEMBERED_MAX);
        this.failed = new ExpiringMap<>(FAILED_MAX);
        this.unclaimed = new ExpiringMap<>(UNCLAIMED_MAX);
    }

    Resolution resolve(CrawlUrl url) {
        var host = url.host();
        var fixed = Optional.ofNullable(settings.fixed().get(host));
        if (fixed.isPresent()) {
            return judge(url, List.of(fixed.get()));
        }
        return literal(host)
                .map(address -> judge(url, List.of(address)))
                .orElseGet(() -> lookUp(url));
    }

    private static Optional<InetAddress> literal(String host) {
        if (host.charAt(0) == '[') {
            return Optional.of(InetAddress.ofLiteral(host.substring(1, host.length() - 1)));
        }
        return endsInNumber(host) ? Optional.of(InetAddress.ofLiteral(host)) : Optional.empty();
    }

    /**
     * In a parsed URL a host whose last label is a number is an IPv4 address in four decimal parts:
     * the URL standard sees to that ("ends in a number checker"). A name may well end in a digit.
     */
    private static boolean endsInNumber(String host) {
        var lastLabel = host.substring(host.lastIndexOf('.') + 1);
        return !lastLabel.isEmpty() && lastLabel.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private Resolution lookUp(CrawlUrl url) {
        var known = remembered.get(url.host(), nanos.getAsLong());
        return known.map(answer -> judge(url, answer)).orElseGet(() -> ask(url));
    }

    private Resolution ask(CrawlUrl url) {
        var host = url.host();
        var begun = nanos.getAsLong();
        var mine = new CompletableFuture<Answer>();
        var others = asking.putIfAbsent(host, mine);
        if (others == null) {
            begin(host, mine);
        }
        try {
            var answer =
                    (others == null ? mine : others)
                            .get(settings.times().lookup().toNanos(), TimeUnit.NANOSECONDS);
            var now = nanos.getAsLong();
            unclaimed.put(host, Duration.ofNanos(now - begun), now, UNCLAIMED_FOR);
            return judge(url, answer);
        } catch (ExecutionException e) {
            return new Resolution.NotFound(Text.harmless(e));
        } catch (TimeoutException e) {
            asking.remove(host, others == null ? mine : others);
            return new Resolution.NotFound("no answer from the name server in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Resolution.NotFound("interrupted");
        }
    }

    private void begin(String host, CompletableFuture<Answer> mine) {
        var _ =
                oracle.ask(host)
                        .whenComplete(
                                (answer, error) -> {
                                    if (answer != null && answer.lasts().isPositive()) {
                                        remembered.put(
                                                host, answer, nanos.getAsLong(), answer.lasts());
                                    }
                                    asking.remove(host, mine);
                                    if (answer == null) {
                                        mine.completeExceptionally(error);
                                    } else {
                                        mine.complete(answer);
                                    }
                                });
    }

    private Resolution judge(CrawlUrl url, Answer answer) {
        return answer.addresses().isEmpty()
                ? new Resolution.NotFound(Text.harmless(answer.why()))
                : judge(url, answer.addresses());
    }

    private Resolution judge(CrawlUrl url, List<InetAddress> addresses) {
        var why = "";
        Optional<InetAddress> secondBest = Optional.empty();
        for (var address : addresses) {
            var objection = settings.addresses().objection(url, address);
            if (objection.isPresent()) {
                why = address.getHostAddress() + " is " + objection.get();
            } else if (failed.get(address, nanos.getAsLong()).isPresent()) {
                secondBest = secondBest.or(() -> Optional.of(address));
            } else {
                return new Resolution.Found(address);
            }
        }
        return secondBest.isPresent()
                ? new Resolution.Found(secondBest.get())
                : new Resolution.Forbidden(why);
    }

    /** No connection came about, so another address of the same name goes before this one. */
    void failed(InetAddress address) {
        failed.put(address, true, nanos.getAsLong(), FAILED_FOR);
    }

    /** How long the look-up took that preceded a request; nothing when there was none. */
    Duration claimLookup(String host) {
        return unclaimed.remove(host).orElse(Duration.ZERO);
    }

    /** How many names are remembered. */
    int remembered() {
        return remembered.size();
    }

    @Override
    public void close() {
        oracle.close();
    }
}
