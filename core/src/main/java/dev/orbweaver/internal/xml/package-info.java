/**
 * XML as the web has it: a tokenizer that goes on after errors, and a reader of RSS and Atom feeds.
 * {@code parse} reads feeds for links with it, {@code robots} reads sitemaps.
 */
@NullMarked
package dev.orbweaver.internal.xml;

import org.jspecify.annotations.NullMarked;
