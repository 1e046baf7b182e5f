package dev.orbweaver.internal.frontier.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the log messages of the journal and keeps them from the console. */
public final class LogCapture implements AutoCloseable {

    private final Logger logger;
    private final List<String> messages = new ArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    messages.add(record.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    /** Captures messages of the journal from now on. */
    public LogCapture() {
        this(Journal.class);
    }

    /** Captures messages of another class. */
    public LogCapture(Class<?> speaker) {
        logger = Logger.getLogger(speaker.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    /** Returns the captured messages. */
    public List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }
}
