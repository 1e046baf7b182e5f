/** A capture to WARC and the page log. */
@NullMarked
package dev.orbweaver.sink;

import org.jspecify.annotations.NullMarked;
