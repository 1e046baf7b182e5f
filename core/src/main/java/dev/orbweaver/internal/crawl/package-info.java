/** The one loop, its lifecycle, limits, decisions, counters. */
@NullMarked
package dev.orbweaver.internal.crawl;

import org.jspecify.annotations.NullMarked;
