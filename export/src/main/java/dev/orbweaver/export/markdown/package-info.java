/**
 * A page as Markdown, for people and for language models.
 *
 * <p>{@link dev.orbweaver.export.markdown.MarkdownConverter} takes a page's tree, removes what is
 * never content ({@code BoilerplateFilter}), finds the element that holds the article ({@code
 * MainContent}), drops the blocks that {@link dev.orbweaver.export.markdown.RepeatedBlocks} has
 * seen on most pages of the site, and writes the rest ({@code BlockWriter}, {@code InlineWriter}).
 */
@NullMarked
package dev.orbweaver.export.markdown;

import org.jspecify.annotations.NullMarked;
