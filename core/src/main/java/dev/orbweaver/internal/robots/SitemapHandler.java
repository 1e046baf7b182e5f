package dev.orbweaver.internal.robots;

/** Receives the entries of a sitemap or feed as they are parsed, in file order. */
public interface SitemapHandler {

    /** Receives a further sitemap that an index lists. */
    void sitemap(String url);

    void page(Sitemap.Entry entry);
}
