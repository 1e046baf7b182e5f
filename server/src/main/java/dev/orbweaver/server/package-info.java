/**
 * Jobs over HTTP: REST, live events, and the dashboard.
 *
 * <p>{@link dev.orbweaver.server.CrawlServer} is the door. {@code Routes} lists every call; what
 * each does is in the classes named after what they answer for. {@code AccessControl} decides who
 * may call.
 */
@NullMarked
package dev.orbweaver.server;

import org.jspecify.annotations.NullMarked;
