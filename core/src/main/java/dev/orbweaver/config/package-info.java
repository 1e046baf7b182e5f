/**
 * Types of settings that {@link dev.orbweaver.CrawlerBuilder} takes, and problems that it reports.
 */
@NullMarked
package dev.orbweaver.config;

import org.jspecify.annotations.NullMarked;
