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
 * Reads single keys without Enter. JLine must not replace the signal handlers of {@link Signals},
 * as it does by default: Ctrl+C would end the process at once. If a terminal cannot be read this
 * way, keys are ignored.
 */
final class KeyReader implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(KeyReader.class);
    private static final long POLL_MILLIS = 200;

    /** The reader that has changed the terminal's mode, if any. */
    private static final AtomicReference<@Nullable KeyReader> OPEN = new AtomicReference<>();

    private final org.jline.terminal.Terminal terminal;
    private final Attributes savedAttributes;
    private final Thread thread;
    private volatile boolean closed;

    private KeyReader(org.jline.terminal.Terminal terminal, IntConsumer pressed) {
        this.terminal = terminal;
        this.savedAttributes = terminal.enterRawMode();
        // Raw mode would deliver Ctrl+C as a key and print line ends without carriage returns.
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

    /** Reads keys until it is closed; does nothing without an interactive terminal. */
    static Closeable start(Terminal output, IntConsumer pressed) {
        if (!output.interactive() || !isInForeground()) {
            return () -> {};
        }
        try {
            return new KeyReader(
                    TerminalBuilder.builder().system(true).dumb(false).nativeSignals(false).build(),
                    pressed);
        } catch (IOException | IllegalStateException e) {
            LOG.debug("could not read keys: {}", e.getMessage());
            return () -> {};
        }
    }

    /**
     * Whether this process is in the foreground of its terminal; true if that cannot be determined.
     * The system stops a background process that changes its terminal's mode (SIGTTOU).
     */
    private static boolean isInForeground() {
        try {
            var stat = Files.readString(Path.of("/proc/self/stat"));
            // After the name in parentheses: state, parent, group, session, terminal, its group.
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
            LOG.debug("stopped reading keys: {}", e.getMessage());
        }
    }

    /** Restores the terminal's mode before the process halts. */
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
