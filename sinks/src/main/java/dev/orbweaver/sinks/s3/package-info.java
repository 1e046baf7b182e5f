/** Copies a crawl's directory to a bucket, from which it can be restored. */
@NullMarked
package dev.orbweaver.sinks.s3;

import org.jspecify.annotations.NullMarked;
