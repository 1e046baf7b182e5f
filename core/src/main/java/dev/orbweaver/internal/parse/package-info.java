/**
 * Parses bytes into a {@link dev.orbweaver.model.Page}: charset, links, title, robots directives.
 *
 * <p>{@link dev.orbweaver.internal.parse.HtmlParser} first calls {@code Charsets} to determine the
 * encoding. {@code LinkScanner} then scans the page once, tag by tag: {@code HtmlTokenizer} finds
 * the tags, and {@code OpenElements} tracks where scripts, SVG and templates change the rules. A
 * possible link is kept as a position in the page ({@code UnresolvedLinks}) until the base is
 * known; then {@code PageText} decodes it and the {@code url} package resolves it.
 */
@NullMarked
package dev.orbweaver.internal.parse;

import org.jspecify.annotations.NullMarked;
