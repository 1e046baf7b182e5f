/**
 * Parses robots.txt into rules, with the matching line, and sitemaps into entries. Sends no
 * requests.
 */
@NullMarked
package dev.orbweaver.internal.robots;

import org.jspecify.annotations.NullMarked;
