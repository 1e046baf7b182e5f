package dev.orbweaver.service.browser;

import dev.orbweaver.LocalJobs;
import dev.orbweaver.config.Values;
import dev.orbweaver.service.Service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The service, on a port of its own, over a folder of its own. */
final class Served implements AutoCloseable {

    private static final int JOBS_AT_ONCE = 8;
    private static final int JOBS_MAX = 100;

    /** Tests click faster than people. */
    private static final double CALLS_A_SECOND = 2_000;

    private final Path folder;
    private final Optional<Path> tokens;
    private Service service;

    private Served(Path folder, Optional<Path> tokens) throws Exception {
        this.folder = folder;
        this.tokens = tokens;
        this.service = start(0);
    }

    /** For everybody on this machine. */
    static Served openly(Path folder) throws Exception {
        return new Served(folder.resolve("data"), Optional.empty());
    }

    /** For those who know a token. */
    static Served withToken(Path folder, String token) throws Exception {
        var file = folder.resolve("tokens");
        Files.writeString(file, token + "\n");
        return new Served(folder.resolve("data"), Optional.of(file));
    }

    private Service start(int port) throws Exception {
        return Service.start(
                new LocalJobs.Terms(folder, JOBS_AT_ONCE, JOBS_MAX, true, new Values()),
                new Service.Settings(
                        "127.0.0.1", port, tokens, CALLS_A_SECOND, 100, JOBS_MAX, 15_000));
    }

    /** What every address of it begins with. */
    String origin() {
        return "http://127.0.0.1:" + service.port();
    }

    /** A view of the dashboard. */
    String view(String address) {
        return origin() + "/#" + address;
    }

    /** Goes away, and comes back at the same address after something was done. */
    void away(Runnable meanwhile) throws Exception {
        var port = service.port();
        service.close();
        meanwhile.run();
        service = start(port);
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
