/**
 * Bytes to {@link dev.orbweaver.model.Page}: charset, links, title, robots directives.
 *
 * <p>A page goes from {@link dev.orbweaver.internal.parse.HtmlParser} first to {@code Charsets},
 * which says what its bytes mean. {@code LinkScanner} then reads it once, tag by tag: {@code
 * HtmlTokenizer} finds the tags, {@code OpenElements} tells it where scripts, SVG and templates
 * change the rules. What may be a link stays a place in the page ({@code UnresolvedLinks}) until
 * the base is known; then {@code PageText} decodes it and the {@code url} room resolves it.
 */
@NullMarked
package dev.orbweaver.internal.parse;

import org.jspecify.annotations.NullMarked;
