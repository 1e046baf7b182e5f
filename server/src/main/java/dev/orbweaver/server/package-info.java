/**
 * The HTTP server: REST API for jobs, live events and the dashboard.
 *
 * <p>{@link dev.orbweaver.server.CrawlServer} is the entry point. {@code Routes} lists every call;
 * the classes named after resources implement them. {@code AccessControl} authorises callers.
 */
@NullMarked
package dev.orbweaver.server;

import org.jspecify.annotations.NullMarked;
