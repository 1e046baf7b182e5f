package dev.orbweaver.internal.config;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.MainTextComparison;
import dev.orbweaver.internal.sink.RemoteCrawl;
import dev.orbweaver.internal.sink.SinkFollowers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What another module adds to a crawl: settings, sinks that follow the page log, the comparison of
 * main texts. A program passes its extensions to {@link Settings#with}; a crawl with values of that
 * table uses them.
 */
public interface ModuleExtension {

    List<Setting> settings();

    /** Checks the values of its settings and records every problem. */
    void check(CheckedValues values);

    /** Gives a fleet's worker its own destination where file names of workers would collide. */
    default void separate(SettingValues settingValues, String worker) {}

    /** Returns how the main texts of two visits are compared, if the extension can. */
    default Optional<MainTextComparison> textComparison(CrawlPages pages) {
        return Optional.empty();
    }

    /**
     * Opens a crawl that a sink has copied to a remote place; empty if the place is not of this
     * extension.
     */
    default Optional<RemoteCrawl> openCrawl(SettingValues settingValues, String place)
            throws IOException {
        return Optional.empty();
    }

    /** Registers in a crawl's directory the crawls that refer to its copies. */
    default void addDependents(SettingValues settingValues, Path crawl) throws IOException {}

    /** Starts the sinks that the values configure; opens nothing if there are none. */
    SinkFollowers start(SettingValues settingValues, CommittedCrawl crawl) throws IOException;
}
