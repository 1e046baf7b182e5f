package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.server.SiteMaps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The maps of {@code orbweaver serve}: those of {@code orbweaver map}, without a terminal. */
final class ServiceSiteMaps implements SiteMaps {

    private static final int WARNINGS_MAX = 100;

    @Override
    public List<String> indexes() {
        return MapSettings.INDEX_SERVERS.stream().map(SourceType::id).toList();
    }

    @Override
    public SiteMap prepare(MapRequest request) throws ConfigException {
        var config =
                CrawlConfig.read(MapSettings.of(request.config().settingValues(), request.depth()));
        var indexes =
                request.indexes().stream()
                        .flatMap(name -> MapSettings.index(name).stream())
                        .toList();
        return new ServiceSiteMap(config, request.depth(), indexes, request.maxUrls());
    }

    private static final class ServiceSiteMap implements SiteMap, SiteMapper.Listener {

        private final CrawlConfig config;
        private final int depth;
        private final List<SourceType> indexes;
        private final int maxUrls;
        private final StopSwitch stop = new StopSwitch();
        private final List<String> warnings = new ArrayList<>();
        private long moreWarnings;

        ServiceSiteMap(CrawlConfig config, int depth, List<SourceType> indexes, int maxUrls) {
            this.config = config;
            this.depth = depth;
            this.indexes = indexes;
            this.maxUrls = maxUrls;
        }

        @Override
        public Result read() throws ConfigException, IOException {
            try (var crawl = TemporaryCrawl.createInService(stop)) {
                var mapper = new SiteMapper(config, crawl, maxUrls, this);
                var finished = mapper.read(depth, indexes);
                mapper.report("maxUrls");
                if (moreWarnings > 0) {
                    warnings.add("%,d more warnings".formatted(moreWarnings));
                }
                return new Result(mapper.urls(), finished && !mapper.isFull(), warnings);
            }
        }

        @Override
        public void stop() {
            stop.run();
        }

        @Override
        public void warn(String sentence) {
            if (warnings.size() < WARNINGS_MAX) {
                warnings.add(sentence);
            } else {
                moreWarnings++;
            }
        }

        @Override
        public void progress(String what) {}
    }
}
