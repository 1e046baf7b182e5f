/** Decides whether a link belongs to a crawl, and why not. */
@NullMarked
package dev.orbweaver.internal.scope;

import org.jspecify.annotations.NullMarked;
