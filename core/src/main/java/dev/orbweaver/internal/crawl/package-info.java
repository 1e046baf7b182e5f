/** The crawl loop with its policies, limits, robots.txt cache and counters. */
@NullMarked
package dev.orbweaver.internal.crawl;

import org.jspecify.annotations.NullMarked;
