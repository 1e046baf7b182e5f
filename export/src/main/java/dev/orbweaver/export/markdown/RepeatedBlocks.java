package dev.orbweaver.export.markdown;

import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.spi.Document;

import org.jsoup.nodes.Element;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Counts blocks of text that repeat on the pages of one site.
 *
 * <p>The text of a theme is the same on every page: the name of the site, "Edit on", the list of
 * chapters. No list of class names finds all of it, but counting does. Each added page counts its
 * distinct blocks once, by a 64-bit hash of their text. A block on most pages belongs to the theme.
 * Content of a page is rarely on most others. A heading such as "Examples" is, so {@link
 * RepeatedBlockFilter} removes headings only together with their sections.
 *
 * <p>Memory is bounded: when there are too many blocks, those seen once are dropped. Not
 * thread-safe. The counts are deterministic and can be serialised.
 */
public final class RepeatedBlocks {

    /** The minimum number of pages; with fewer no block counts as repeated. */
    static final int PAGES_MIN = 4;

    /**
     * The minimum number of blocks; a smaller page, such as a redirect page, may lack the theme.
     */
    private static final int BLOCKS_MIN = 3;

    private static final double LINK_DENSITY_MAX = 0.5;
    private static final int BLOCKS_MAX = 200_000;
    private static final int FORMAT = 1;

    private final Map<Long, Integer> counts = new HashMap<>();
    private int pages;

    public int pages() {
        return pages;
    }

    public void addPage(Document document) {
        var body = HtmlTree.of(document).body();
        LayoutNormalizer.normalize(body);
        BoilerplateFilter.removeNeverContent(body);
        var blocks = new HashSet<Long>();
        // The text of named boilerplate is counted, too: on a page with little else a footer would
        // be taken for the main content. Its links are not: on a contents page they are content.
        var textDensity = new TextDensity(body);
        for (var block : Blocks.of(body)) {
            if (textDensity.linkDensity(block.element()) < LINK_DENSITY_MAX) {
                blocks.add(block.fingerprint());
            }
        }
        BoilerplateFilter.removeFrom(body);
        for (var block : Blocks.of(body)) {
            blocks.add(block.fingerprint());
        }
        if (blocks.size() < BLOCKS_MIN) {
            return;
        }
        pages++;
        for (var block : blocks) {
            counts.merge(block, 1, Integer::sum);
        }
        if (counts.size() > BLOCKS_MAX) {
            counts.values().removeIf(count -> count == 1);
        }
        if (counts.size() > BLOCKS_MAX) {
            counts.values().removeIf(count -> count * 10 < pages);
        }
    }

    /** Returns the elements of the repeated blocks of a page. */
    Set<Element> repeatedBlocks(Element body) {
        if (!hasEnoughPages()) {
            return Set.of();
        }
        var repeated = Collections.<Element>newSetFromMap(new IdentityHashMap<>());
        for (var block : Blocks.of(body)) {
            if (repeats(block.fingerprint())) {
                repeated.add(block.element());
            }
        }
        return repeated;
    }

    boolean hasEnoughPages() {
        return pages >= PAGES_MIN;
    }

    /** Whether a block is on at least 60 % of the pages, and on at least {@value #PAGES_MIN}. */
    boolean repeats(long fingerprint) {
        var count = counts.getOrDefault(fingerprint, 0);
        return count >= PAGES_MIN && count * 10L >= pages * 6L;
    }

    public void write(DataOutput out) throws IOException {
        out.writeInt(FORMAT);
        out.writeInt(pages);
        out.writeInt(counts.size());
        for (var count : counts.entrySet()) {
            out.writeLong(count.getKey());
            out.writeInt(count.getValue());
        }
    }

    public static RepeatedBlocks read(DataInput in) throws IOException {
        var format = in.readInt();
        if (format != FORMAT) {
            throw new IOException("repeated blocks have format " + format + ", expected " + FORMAT);
        }
        var memory = new RepeatedBlocks();
        memory.pages = in.readInt();
        var size = in.readInt();
        if (memory.pages < 0 || size < 0 || size > BLOCKS_MAX * 2) {
            throw new IOException("invalid number of repeated blocks: " + size);
        }
        for (var i = 0; i < size; i++) {
            memory.counts.put(in.readLong(), in.readInt());
        }
        return memory;
    }
}
