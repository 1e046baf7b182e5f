package dev.orbweaver.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.fetch.AddressBook.Entry;
import dev.orbweaver.fetch.Names.Answer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Names that several processes look up together. */
@Timeout(60)
class SharedOracleTest {

    private static final InetAddress FIRST = InetAddress.ofLiteral("9.9.9.9");
    private static final InetAddress SECOND = InetAddress.ofLiteral("2620:fe::fe");

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AddressBook book =
            new AddressBook() {
                @Override
                public Optional<Entry> find(String host) {
                    return Optional.ofNullable(entries.get(host));
                }

                @Override
                public void keep(String host, Entry entry) {
                    entries.put(host, entry);
                }
            };

    private SharedOracle oracle(Answer answer) {
        return new SharedOracle(
                book,
                new Names.Oracle() {
                    @Override
                    public CompletableFuture<Answer> ask(String host) {
                        asked.incrementAndGet();
                        return CompletableFuture.completedFuture(answer);
                    }

                    @Override
                    public void close() {}
                });
    }

    @Test
    void whatOneProcessWasToldTheOtherDoesNotAsk() {
        var told = new Answer(List.of(SECOND, FIRST), "", Duration.ofSeconds(60));
        assertThat(oracle(told).ask("a.example").join()).isEqualTo(told);
        while (entries.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
        }
        var other = new Answer(List.of(FIRST), "", Duration.ofSeconds(5));
        assertThat(oracle(other).ask("a.example").join()).isEqualTo(told);
        assertThat(asked).hasValue(1);
    }

    @Test
    void whatDoesNotStandInTheBookIsAskedFor() {
        entries.put("b.example", new Entry(List.of(), Duration.ofSeconds(60)));
        var told = new Answer(List.of(FIRST), "", Duration.ofSeconds(60));
        assertThat(oracle(told).ask("b.example").join()).isEqualTo(told);
        assertThat(asked).hasValue(1);
    }

    @Test
    void thatThereIsNoSuchNameIsNobodyElsesConcern() {
        var none = new Answer(List.of(), "no such name", Duration.ofSeconds(60));
        assertThat(oracle(none).ask("a.example").join()).isEqualTo(none);
        assertThat(oracle(none).ask("a.example").join()).isEqualTo(none);
        assertThat(asked).hasValue(2);
        assertThat(entries).isEmpty();
    }
}
