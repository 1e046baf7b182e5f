package dev.orbweaver.cli;

import org.jline.terminal.Attributes;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Reads single keys without Enter. JLine must not touch the signal handlers, which belong to {@link
 * Signals}; by default it replaces them, and Ctrl+C would end the process at once. A terminal that
 * cannot be read this way is not read: nothing depends on it.
 */
final class KeyReader implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(KeyReader.class);
    private static final long POLL_MILLIS = 200;

    /** The one that has changed the terminal's mode, if any. */
    private static final AtomicReference<@Nullable KeyReader> OPEN = new AtomicReference<>();

    private final org.jline.terminal.Terminal terminal;
    private final Attributes savedAttributes;
    private final Thread thread;
    private volatile boolean closed;

    private KeyReader(org.jline.terminal.Terminal terminal, IntConsumer pressed) {
        this.terminal = terminal;
        this.savedAttributes = terminal.enterRawMode();
        // Raw mode would also take Ctrl+C for a key, and line ends for mere line feeds.
        var attributes = terminal.getAttributes();
        attributes.setLocalFlag(Attributes.LocalFlag.ISIG, true);
        attributes.setOutputFlag(Attributes.OutputFlag.OPOST, true);
        terminal.setAttributes(attributes);
        OPEN.set(this);
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("keys")
                        .start(() -> read(terminal.reader(), pressed));
    }

    /** Reads keys until it is closed; does nothing where there is no terminal to read. */
    static Closeable start(Terminal shown, IntConsumer pressed) {
        if (!shown.interactive() || !isInForeground()) {
            return () -> {};
        }
        try {
            return new KeyReader(
                    TerminalBuilder.builder().system(true).dumb(false).nativeSignals(false).build(),
                    pressed);
        } catch (IOException | IllegalStateException e) {
            LOG.debug("keys are not read: {}", e.getMessage());
            return () -> {};
        }
    }

    /**
     * A job in the background that changes its terminal's mode is stopped by the system (SIGTTOU).
     * Where nobody says who is in the foreground, it is taken to be this process.
     */
    private static boolean isInForeground() {
        try {
            var stat = Files.readString(Path.of("/proc/self/stat"));
            // Behind the name in parentheses: state, parent, group, session, terminal, its group.
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[2].equals(fields[5]);
        } catch (IOException e) {
            return true;
        }
    }

    private void read(NonBlockingReader in, IntConsumer pressed) {
        try {
            while (!closed) {
                var key = in.read(POLL_MILLIS);
                if (key == NonBlockingReader.EOF) {
                    return;
                }
                if (key >= 0) {
                    pressed.accept(key);
                }
            }
        } catch (IOException e) {
            LOG.debug("keys are no longer read: {}", e.getMessage());
        }
    }

    /** Restores the terminal's mode; for a process that is about to halt. */
    static void restoreTerminal() {
        var keyReader = OPEN.get();
        if (keyReader != null) {
            keyReader.terminal.setAttributes(keyReader.savedAttributes);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join(2 * POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        OPEN.set(null);
        terminal.setAttributes(savedAttributes);
        terminal.close();
    }
}
