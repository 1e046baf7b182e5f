package dev.orbweaver.export.markdown;

import org.jsoup.nodes.Element;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the smallest visible blocks of a tree: paragraphs, items, headings, tables, code. */
final class Blocks {

    record Block(Element element, long fingerprint) {}

    private Blocks() {}

    static List<Block> of(Element root) {
        var blocks = new ArrayList<Block>();
        for (var element : leaves(root)) {
            var text = element.hasText() ? element.text() : images(element);
            if (!text.isEmpty()) {
                blocks.add(new Block(element, fingerprint(text)));
            }
        }
        return blocks;
    }

    /** Returns the elements of blocks, including empty ones. */
    static List<Element> leaves(Element root) {
        var leaves = new ArrayList<Element>();
        collect(root, leaves);
        return leaves;
    }

    private static void collect(Element element, List<Element> leaves) {
        if (isLeaf(element)) {
            leaves.add(element);
            return;
        }
        for (var child : element.children()) {
            collect(child, leaves);
        }
    }

    /** Identifies a block without text by the names of its images, in any directory. */
    private static String images(Element element) {
        return element.select("img[src]").stream()
                .map(image -> image.attr("src"))
                .map(source -> "image " + source.substring(source.lastIndexOf('/') + 1))
                .collect(Collectors.joining(" "));
    }

    private static boolean isLeaf(Element element) {
        return switch (element.normalName()) {
            case "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "dt" -> true;
            case "table" -> TableWriter.isDataTable(element);
            default -> element.children().stream().noneMatch(HtmlElements::isOrContainsBlock);
        };
    }

    /** FNV-1a over the characters, with a finalizer so that every bit depends on all of them. */
    private static long fingerprint(String text) {
        var hash = 0xCBF29CE484222325L;
        for (var i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        return hash ^ (hash >>> 32);
    }
}
