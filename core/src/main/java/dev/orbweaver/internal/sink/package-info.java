/** A capture to WARC and the page log. */
@NullMarked
package dev.orbweaver.internal.sink;

import org.jspecify.annotations.NullMarked;
