package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.BodyMemory;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Directories of a crawl are deleted while it runs. Whatever comes of it, the server sees a bounded
 * number of requests, and the crawl ends or recovers.
 */
@Slow
class LostStorageTest {

    private static final int PAGES = 6;
    private static final int REMOVED_AT = 3;

    /** Something that is done to the crawl's directory. */
    private interface Removal {
        void run() throws IOException;
    }

    @TempDir Path parent;

    private final Map<String, Integer> requests = new ConcurrentHashMap<>();
    private volatile Removal removal = () -> {};
    private HttpServer server;
    private Path directory;

    @BeforeEach
    void serve() throws IOException {
        directory = parent.resolve("out");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    requests.merge(path, 1, Integer::sum);
                    if (path.equals("/" + REMOVED_AT)) {
                        removal.run();
                    }
                    var body = path.equals("/") ? links() : large(path);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static byte[] links() {
        var text = new StringBuilder();
        IntStream.rangeClosed(1, PAGES).forEach(i -> text.append("<a href=/" + i + ">x</a>"));
        return text.toString().getBytes(UTF_8);
    }

    /** A page that does not fit into memory, and unlike the others. */
    private static byte[] large(String path) {
        var body = new byte[BodyMemory.PER_BODY_MAX + 1];
        new Random(path.hashCode()).nextBytes(body);
        return body;
    }

    private CrawlEnd crawl() throws Exception {
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, "http://127.0.0.1:" + server.getAddress().getPort())
                        .putPairs(
                                List.of(
                                        "delay=1ms",
                                        "robots=ignore",
                                        "traps=off",
                                        "retry-delay=20ms",
                                        "max-disk-wait=1s"));
        var crawl = CrawlOpener.open(CrawlConfig.read(settingValues), directory);
        try {
            return crawl.run();
        } finally {
            closeAfterAll(crawl);
        }
    }

    /** What is left of its directory may not suffice for closing in good order. */
    private static void closeAfterAll(OpenCrawl crawl) {
        try {
            crawl.close();
        } catch (IOException | UncheckedIOException e) {
            assertThat(e).hasMessageContaining("out");
        }
    }

    private void removeOnce(Path path) {
        removal =
                () -> {
                    removal = () -> {};
                    delete(path);
                };
    }

    private static void delete(Path path) throws IOException {
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private int made() {
        return requests.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void aDirectoryForTemporaryFilesIsMadeAgainAndEveryPageIsStored() throws Exception {
        removeOnce(directory.resolve("tmp"));
        var end = crawl();
        assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        assertThat(made()).isBetween(1 + PAGES + 1, 1 + 2 * PAGES);
        assertThat(requests.values()).allMatch(times -> times <= 2);
        var log = Files.readString(directory.resolve("pages.log"));
        IntStream.rangeClosed(1, PAGES)
                .forEach(i -> assertThat(log).containsPattern("/" + i + "\",\"kind\":\"page\""));
        assertThat(log).contains("could not store the response");
    }

    @Test
    void storageThatCannotBeRepairedEndsTheCrawlAfterAFewRequests() throws Exception {
        var temporary = directory.resolve("tmp");
        removal =
                () -> {
                    removal = () -> {};
                    delete(temporary);
                    Files.writeString(temporary, "a file in its place");
                };
        var end = crawl();
        assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.BROKEN);
        assertThat(end.detail()).contains("tmp");
        assertThat(made()).isLessThanOrEqualTo(1 + PAGES);
    }

    @Test
    void aDirectoryThatIsGoneEndsTheCrawlWithASentenceThatSaysSo() throws Exception {
        removeOnce(directory);
        var end = crawl();
        assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.BROKEN);
        assertThat(end.detail()).contains("pages.log of " + directory + " was deleted or replaced");
        assertThat(made()).isLessThanOrEqualTo(1 + PAGES);
    }
}
