/** Writes captures to WARC files and the page log, and reads them back. */
@NullMarked
package dev.orbweaver.internal.sink;

import org.jspecify.annotations.NullMarked;
