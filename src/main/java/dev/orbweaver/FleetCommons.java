package dev.orbweaver;

import dev.orbweaver.crawl.RobotsStore;
import dev.orbweaver.crawl.SharedRobots;
import dev.orbweaver.crawl.TrapAccounts;
import dev.orbweaver.fetch.AddressBook;
import dev.orbweaver.frontier.redis.Board;
import dev.orbweaver.frontier.redis.Board.Topic;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the workers of a fleet that are on one job know together, on the fleet's board. Jobs do not
 * share: they may have other user agents and other name servers.
 */
final class FleetCommons implements Commons {

    private static final Logger LOG = LoggerFactory.getLogger(FleetCommons.class);

    private final Board board;
    private final JobId job;
    private final InstantSource clock;

    FleetCommons(Board board, JobId job, InstantSource clock) {
        this.board = board;
        this.job = job;
        this.clock = clock;
    }

    @Override
    public RobotsStore robots(RobotsStore own, InstantSource time) {
        var pool =
                new SharedRobots.Pool() {
                    @Override
                    public Optional<byte[]> find(String origin) throws IOException {
                        return board.find(job, Topic.ROBOTS, origin);
                    }

                    @Override
                    public void keep(String origin, byte[] answer, Duration lasts)
                            throws IOException {
                        board.leave(job, Topic.ROBOTS, origin, answer, lasts);
                    }
                };
        return new SharedRobots(own, pool, time);
    }

    @Override
    public AddressBook addresses() {
        return new AddressBook() {
            @Override
            public Optional<Entry> find(String host) {
                try {
                    return board.find(job, Topic.NAMES, host).flatMap(FleetCommons.this::entry);
                } catch (IOException e) {
                    LOG.debug("nobody is asked for the addresses of {}", host, e);
                    return Optional.empty();
                }
            }

            @Override
            public void keep(String host, Entry entry) {
                try {
                    board.leave(job, Topic.NAMES, host, note(entry), entry.lasts());
                } catch (IOException e) {
                    LOG.debug("nobody is told the addresses of {}", host, e);
                }
            }
        };
    }

    @Override
    public TrapAccounts traps() {
        return new TrapAccounts() {
            @Override
            public int[] change(Changes changes) throws IOException {
                return board.balances(
                        job, changes.id(), changes.max(), changes.keys(), changes.by());
            }

            @Override
            public int[] balances(List<Long> keys) throws IOException {
                return board.balances(job, "", 0, keys, Collections.nCopies(keys.size(), 0));
            }
        };
    }

    @Override
    public boolean othersMayWork() {
        return true;
    }

    /** The fleet's time at which it ends, then the addresses. */
    private byte[] note(AddressBook.Entry entry) {
        var until = clock.instant().plus(entry.lasts()).toEpochMilli();
        return entry.addresses().stream()
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(" ", until + " ", ""))
                .getBytes(StandardCharsets.US_ASCII);
    }

    private Optional<AddressBook.Entry> entry(byte[] note) {
        var words = new String(note, StandardCharsets.US_ASCII).split(" ", -1);
        try {
            var left = Long.parseLong(words[0]) - clock.instant().toEpochMilli();
            var addresses = Arrays.stream(words).skip(1).map(InetAddress::ofLiteral).toList();
            return left > 0 && !addresses.isEmpty()
                    ? Optional.of(new AddressBook.Entry(addresses, Duration.ofMillis(left)))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            LOG.warn("a note of addresses cannot be read: {}", e.getMessage());
            return Optional.empty();
        }
    }
}
