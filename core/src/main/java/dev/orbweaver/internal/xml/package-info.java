/**
 * A lenient XML tokenizer and a reader of RSS and Atom feeds, for {@code parse} and {@code robots}.
 */
@NullMarked
package dev.orbweaver.internal.xml;

import org.jspecify.annotations.NullMarked;
