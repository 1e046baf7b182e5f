/**
 * Converts pages to Markdown, for people and for language models.
 *
 * <p>{@link dev.orbweaver.export.markdown.MarkdownConverter} removes boilerplate from the page's
 * tree ({@code BoilerplateFilter}), finds the element with the article ({@code MainContent}), drops
 * the blocks that {@link dev.orbweaver.export.markdown.RepeatedBlocks} counted on most pages of the
 * site, and writes the rest ({@code BlockWriter}, {@code InlineWriter}).
 */
@NullMarked
package dev.orbweaver.export.markdown;

import org.jspecify.annotations.NullMarked;
