package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;

import java.io.IOException;

/** Runs the export of a format. */
public final class ExportRunner {

    private ExportRunner() {}

    public static ExportReport run(CrawlPages all, ExportSettings settings) throws IOException {
        var pages = all.filtered(settings.filter());
        return export(pages, settings).with(pages.skippedPages().notes());
    }

    private static ExportReport export(CrawlPages pages, ExportSettings settings)
            throws IOException {
        return switch (settings.exportFormat()) {
            case SITEMAP ->
                    new SitemapExport(
                                    pages,
                                    settings.exportTarget().requirePath(ExportFormat.SITEMAP),
                                    settings.sitemap())
                            .run();
            case JSONL -> PageRows.json(pages, settings);
            case CSV -> PageRows.csv(pages, settings);
            case MARKDOWN -> MarkdownExport.run(pages, settings);
            case LLMS_TXT -> LlmsTxtExport.run(pages, settings);
            case CHUNKS -> ChunkExport.run(pages, settings);
            case PARQUET -> ParquetExport.run(pages, settings);
            case LINKS -> LinkExport.run(pages, settings);
            case ERRORS -> ErrorExport.run(pages, settings);
            case DUPLICATES -> DuplicateExport.run(pages, settings);
            case FILES -> FilesExport.run(pages, settings);
            case WARC -> WarcExport.run(pages, settings);
            case WACZ -> WaczExport.run(pages, settings);
            case CDXJ -> Cdxj.run(pages, settings);
        };
    }
}
