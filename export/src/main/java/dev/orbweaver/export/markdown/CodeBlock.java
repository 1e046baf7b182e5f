package dev.orbweaver.export.markdown;

import com.google.re2j.Pattern;

import dev.orbweaver.model.TextScan;

import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeVisitor;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Extracts the code of a {@code <pre>} verbatim, and its language.
 *
 * <p>Themes wrap lines in elements, number them and add buttons. Only text is kept: {@code <br>}
 * and the end of an element that represents a line are line ends, line numbers are dropped.
 */
record CodeBlock(String code, String language) {

    private static final int LANGUAGE_CHARS_MAX = 30;
    private static final int PARENTS_MAX = 4;

    private static final Pattern LANGUAGE =
            Pattern.compile(
                    "(?:^|\\s)(?:language|lang|highlight|highlight-source|brush|src)[-:]\\s?"
                            + "([A-Za-z0-9_+#.-]+)");

    private static final Pattern LINE_NUMBER_CLASSES =
            Pattern.compile(
                    "(?:^|\\s)(?:linenos?|line-numbers?(?:-rows)?|lineno|ln-num|gutter|ln|rouge-gutter"
                        + "|hljs-ln-numbers|linenodiv|code-line-number)(?:\\s|$)");

    private static final Set<String> NO_LANGUAGE =
            Set.of(
                    "default",
                    "none",
                    "text",
                    "plain",
                    "plaintext",
                    "notranslate",
                    "nohighlight",
                    "source");

    private static final Set<String> KNOWN =
            Set.of(
                    "rust",
                    "java",
                    "python",
                    "javascript",
                    "js",
                    "typescript",
                    "ts",
                    "c",
                    "cpp",
                    "go",
                    "ruby",
                    "sql",
                    "bash",
                    "shell",
                    "sh",
                    "json",
                    "yaml",
                    "xml",
                    "html",
                    "css",
                    "kotlin",
                    "scala",
                    "php",
                    "perl",
                    "swift",
                    "toml",
                    "ini",
                    "diff",
                    "console",
                    "haskell",
                    "lua",
                    "r",
                    "csharp",
                    "groovy",
                    "makefile",
                    "dockerfile");

    /**
     * @param marks collects the ids in the code, except for numbered lines
     */
    static CodeBlock of(Element pre, AnchorMarks marks) {
        return new CodeBlock(code(pre, marks), language(pre));
    }

    /** Returns Markdown with a fence longer than any in the code. */
    String fenced() {
        var fence = "`".repeat(Math.max(3, MarkdownEscaper.longestRun(code) + 1));
        return fence + language + "\n" + code + (code.isEmpty() ? "" : "\n") + fence;
    }

    /** Removes one line end before the end tag, because the fence adds it. */
    private static String code(Element pre, AnchorMarks marks) {
        var reader = new CodeReader(marks);
        pre.traverse(reader);
        var code = reader.out.toString().replace("\r\n", "\n").replace('\r', '\n');
        return code.endsWith("\n") ? code.substring(0, code.length() - 1) : code;
    }

    private static final class CodeReader implements NodeVisitor {

        private final StringBuilder out = new StringBuilder();
        private final AnchorMarks marks;
        private int inNumbers;

        CodeReader(AnchorMarks marks) {
            this.marks = marks;
        }

        @Override
        public void head(Node node, int depth) {
            if (node instanceof Element element && !endsInDigit(element.id())) {
                marks.add(element);
            }
            if (isLineNumber(node)) {
                inNumbers++;
            } else if (inNumbers == 0 && node instanceof TextNode text) {
                out.append(text.getWholeText());
            } else if (inNumbers == 0 && node instanceof Element element && element.nameIs("br")) {
                out.append('\n');
            }
        }

        @Override
        public void tail(Node node, int depth) {
            if (isLineNumber(node)) {
                inNumbers--;
            } else if (depth > 0
                    && inNumbers == 0
                    && (HtmlElements.isBlock(node) || isOneOfSeveral(node, depth))
                    && !out.isEmpty()
                    && out.charAt(out.length() - 1) != '\n') {
                out.append('\n');
            }
        }

        /** Whether a node is the code in one of several languages. */
        private static boolean isOneOfSeveral(Node node, int depth) {
            return depth == 1
                    && node instanceof Element element
                    && element.nameIs("code")
                    && element.nextSibling() instanceof Element;
        }

        private static boolean endsInDigit(String id) {
            return !id.isEmpty() && TextScan.isDigit(id.charAt(id.length() - 1));
        }

        private static boolean isLineNumber(Node node) {
            return node instanceof Element element
                    && !element.nameIs("pre")
                    && LINE_NUMBER_CLASSES.matcher(element.className()).find();
        }
    }

    private static String language(Element pre) {
        var inner = pre.children().stream().filter(child -> child.nameIs("code")).findFirst();
        var found = inner.flatMap(CodeBlock::declaredLanguage).or(() -> declaredLanguage(pre));
        if (found.isPresent()) {
            return normalizeLanguage(found.get());
        }
        var above = pre.parent();
        for (var i = 0; i < PARENTS_MAX && above != null; i++, above = above.parent()) {
            found = declaredLanguage(above);
            if (found.isPresent()) {
                return normalizeLanguage(found.get());
            }
        }
        // rustdoc and others use the plain name of the language.
        return pre.classNames().stream().filter(KNOWN::contains).findFirst().orElse("");
    }

    private static Optional<String> declaredLanguage(Element element) {
        for (var attribute : Set.of("data-lang", "data-language")) {
            if (element.hasAttr(attribute)) {
                return Optional.of(element.attr(attribute));
            }
        }
        var match = LANGUAGE.matcher(element.className());
        return match.find() ? Optional.of(match.group(1)) : Optional.empty();
    }

    private static boolean isPlain(String name) {
        var end =
                TextScan.endOf(name, 0, c -> TextScan.isAlphanumeric(c) || "_+#.-".indexOf(c) >= 0);
        return !name.isEmpty() && end == name.length();
    }

    private static String normalizeLanguage(String language) {
        var lower = language.toLowerCase(Locale.ROOT).strip();
        return NO_LANGUAGE.contains(lower) || lower.length() > LANGUAGE_CHARS_MAX || !isPlain(lower)
                ? ""
                : lower;
    }
}
