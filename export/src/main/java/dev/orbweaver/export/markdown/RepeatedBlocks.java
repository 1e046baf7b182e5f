package dev.orbweaver.export.markdown;

import dev.orbweaver.internal.parse.Document;
import dev.orbweaver.internal.parse.HtmlTree;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/**
 * Which blocks of text come back on the pages of one site.
 *
 * <p>A theme's own words are the same on every page: the name of the site, "Edit on", the list of
 * chapters. No list of class names finds them all, but counting does. Each page that is learnt
 * counts its distinct blocks once, by a 64-bit hash of their text; a block that stands on most
 * pages is the site's and not the page's. What a page says itself is seldom said by most others; a
 * heading such as "Examples" is, which is why {@link RepeatedBlockFilter} takes headings only
 * together with what stands under them.
 *
 * <p>Memory is bounded: when too many blocks are known, those seen once are forgotten. Not safe for
 * more than one thread. Learning the pages again gives the same memory, and it can be written down.
 */
public final class RepeatedBlocks {

    /** With fewer pages than this nothing is believed to repeat. */
    static final int PAGES_MIN = 4;

    /** A page of fewer blocks, such as one that leads elsewhere, does not show its site's theme. */
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
        // The words of named furniture are counted too: on a page with little else a footer would
        // pass for the main content. Its links are not: on a page of contents they are what counts.
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

    /** On at least six of ten pages. */
    boolean repeats(long fingerprint) {
        return pages >= PAGES_MIN && counts.getOrDefault(fingerprint, 0) * 10L >= pages * 6L;
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
            throw new IOException("a site memory of format " + format + ", not " + FORMAT);
        }
        var memory = new RepeatedBlocks();
        memory.pages = in.readInt();
        var size = in.readInt();
        if (memory.pages < 0 || size < 0 || size > BLOCKS_MAX * 2) {
            throw new IOException("a site memory of " + size + " blocks");
        }
        for (var i = 0; i < size; i++) {
            memory.counts.put(in.readLong(), in.readInt());
        }
        return memory;
    }
}
