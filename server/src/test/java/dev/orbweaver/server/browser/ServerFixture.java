package dev.orbweaver.server.browser;

import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.server.CrawlServer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A service with its own port and directory. */
final class ServerFixture implements AutoCloseable {

    private static final int CONCURRENCY = 8;
    private static final int JOBS_MAX = 100;

    /** Higher than the default, because tests click faster than users. */
    private static final double CALLS_PER_SECOND = 2_000;

    private final Path directory;
    private final Optional<Path> tokens;
    private CrawlServer crawlServer;

    private ServerFixture(Path directory, Optional<Path> tokens) throws Exception {
        this.directory = directory;
        this.tokens = tokens;
        this.crawlServer = start(0);
    }

    /** Starts a service without tokens. */
    static ServerFixture withoutToken(Path directory) throws Exception {
        return new ServerFixture(directory.resolve("data"), Optional.empty());
    }

    /**
     * Starts a service that requires a token.
     *
     * @param tokens lines of the token file
     */
    static ServerFixture withToken(Path directory, String... tokens) throws Exception {
        var file = directory.resolve("tokens");
        Files.write(file, List.of(tokens));
        return new ServerFixture(directory.resolve("data"), Optional.of(file));
    }

    private CrawlServer start(int port) throws Exception {
        return CrawlServer.start(
                new LocalJobs.LocalJobsSettings(
                        directory, CONCURRENCY, JOBS_MAX, true, new SettingValues()),
                new CrawlServer.HttpSettings(
                        "127.0.0.1", port, tokens, CALLS_PER_SECOND, 100, JOBS_MAX, 15_000));
    }

    /** The origin of the service. */
    String origin() {
        return "http://127.0.0.1:" + crawlServer.port();
    }

    /** The URL of a view of the dashboard. */
    String view(String address) {
        return origin() + "/#" + address;
    }

    /** Stops the service, runs an action, and restarts the service on the same port. */
    void restartAfter(Runnable meanwhile) throws Exception {
        var port = crawlServer.port();
        crawlServer.close();
        meanwhile.run();
        crawlServer = start(port);
    }

    @Override
    public void close() throws IOException {
        crawlServer.close();
    }
}
