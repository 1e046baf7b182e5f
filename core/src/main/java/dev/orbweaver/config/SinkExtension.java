package dev.orbweaver.config;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.sink.SinkFollowers;

import java.io.IOException;
import java.util.List;

/**
 * Sinks that follow a crawl's page log, with the settings that they add to the table. A program
 * passes the extensions that it has to {@link Settings#with}; a crawl whose values are of that
 * table starts their sinks.
 */
public interface SinkExtension {

    /** The settings that it adds. */
    List<Setting> settings();

    /** Checks the values of its settings and notes every problem. */
    void check(CheckedValues values);

    /**
     * Gives a worker of a fleet its own place in a sink where workers would otherwise write files
     * of the same names.
     */
    default void separate(SettingValues settingValues, String worker) {}

    /** Starts the sinks that the values ask for; without any this opens nothing. */
    SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl) throws IOException;
}
