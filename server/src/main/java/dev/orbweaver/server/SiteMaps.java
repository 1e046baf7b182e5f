package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.KnownUrl;
import dev.orbweaver.internal.config.CrawlConfig;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * Lists the URLs of sites without crawling them, for {@code POST /api/v1/map}. The program passes
 * an implementation, because it has the sources of URLs.
 */
public interface SiteMaps {

    /** The most hops from the start page. */
    int DEPTH_MAX = 10;

    /** Returns the names of the index servers that a request may choose. */
    List<String> indexes();

    /** Prepares a map; it sends no request before it is read. */
    SiteMap prepare(MapRequest request) throws ConfigException;

    /**
     * A valid request.
     *
     * @param config the settings; the first seed is the start page
     * @param depth how many hops from the start page links are listed
     */
    record MapRequest(CrawlConfig config, int depth, List<String> indexes, int maxUrls) {}

    /** The map of one site. */
    interface SiteMap {

        /** Reads all sources, once; blocks until the end. */
        Result read() throws ConfigException, IOException;

        /** Ends {@link #read} early, from another thread; it returns what it has. */
        void stop();
    }

    /**
     * The URLs of a site.
     *
     * @param complete whether all sources were read and all URLs are listed
     * @param warnings whole sentences, such as about a source that failed
     */
    record Result(Collection<KnownUrl> urls, boolean complete, List<String> warnings) {}
}
