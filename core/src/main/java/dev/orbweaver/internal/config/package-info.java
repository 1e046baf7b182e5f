/** Settings of a crawl: their table, parsing from command line and YAML, and checks. */
@NullMarked
package dev.orbweaver.internal.config;

import org.jspecify.annotations.NullMarked;
