/**
 * A simulated web: hosts, pages, robots and trouble, all from one seed, with the ground truth of
 * what a correct polite crawler must end with.
 *
 * <p>{@link dev.orbweaver.testkit.SimulatedWeb} is pure and holds no socket, clock or counter.
 * {@link dev.orbweaver.testkit.SimulatedWebServer} and {@link dev.orbweaver.testkit.SimulatedDns}
 * serve it over loopback; a simulator may step it in virtual time. {@link
 * dev.orbweaver.testkit.GroundTruth} says what a crawl should find, {@link
 * dev.orbweaver.testkit.Auditor} what a crawler did, seen from the server.
 *
 * <p>The testkit judges the crawler, so it shares no code with it: its robots matcher, its link
 * resolution and its walk over the graph are its own, and work from what the web declares, never by
 * parsing what it serves.
 */
@NullMarked
package dev.orbweaver.testkit;

import org.jspecify.annotations.NullMarked;
