/**
 * Jobs over HTTP: REST, live events, and the dashboard.
 *
 * <p>{@link dev.orbweaver.server.CrawlServer} is the entry point. {@code Routes} lists every call;
 * the classes named after resources implement them. {@code AccessControl} decides who may call.
 */
@NullMarked
package dev.orbweaver.server;

import org.jspecify.annotations.NullMarked;
