package dev.orbweaver.imports;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads a source and collects what it passes on. */
final class SourceRun implements SeedOutput {

    final List<SeedEntry> entries = new ArrayList<>();
    final List<String> rejected = new ArrayList<>();
    final List<String> progress = new ArrayList<>();

    private Consumer<String> onProgress = _ -> {};

    /** The sentence with which the source ended early; empty if it did not. */
    String failure = "";

    static SourceRun of(Path temporary, String spec, String... settings)
            throws IOException, InterruptedException, ConfigException {
        return of(temporary, InputStream.nullInputStream(), spec, settings);
    }

    /**
     * @param settings names and values
     */
    static SourceRun of(Path temporary, InputStream input, String spec, String... settings)
            throws IOException, InterruptedException, ConfigException {
        var run = new SourceRun();
        try (var sources = new SeedSources(config(settings), temporary, input)) {
            sources.open(SourceSpec.parse(spec)).read(run);
        } catch (SourceException e) {
            run.failure = e.sentence();
        }
        return run;
    }

    static CrawlConfig config(String... settings) throws ConfigException {
        var values =
                new SettingValues(Settings.CORE.with(SeedSources.extension()))
                        .put(Settings.SEEDS, "https://site.example/")
                        .put("delay", "1ms")
                        .put("index-delay", "1ms")
                        .put("allow-private", "true");
        var given = new LinkedHashMap<String, String>();
        for (var i = 0; i < settings.length; i += 2) {
            given.put(settings[i], settings[i + 1]);
        }
        for (Map.Entry<String, String> setting : given.entrySet()) {
            values.put(setting.getKey(), setting.getValue());
        }
        return CrawlConfig.read(values);
    }

    /** Calls something else too with each progress. */
    SourceRun onProgress(Consumer<String> listener) {
        onProgress = listener;
        return this;
    }

    List<String> urls() {
        return entries.stream().map(SeedEntry::url).toList();
    }

    @Override
    public void add(long number, SeedEntry entry) {
        entries.add(entry);
    }

    @Override
    public void reject(long line, String text, String reason) {
        rejected.add(line + " " + text + ": " + reason);
    }

    @Override
    public void progress(String what) {
        progress.add(what);
        onProgress.accept(what);
    }
}
