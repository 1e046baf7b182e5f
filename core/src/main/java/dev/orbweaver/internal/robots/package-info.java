/** robots.txt text to rules, with the line that decides; sitemap text to entries. Never fetches. */
@NullMarked
package dev.orbweaver.internal.robots;

import org.jspecify.annotations.NullMarked;
