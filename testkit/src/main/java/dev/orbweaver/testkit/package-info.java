/**
 * A simulated web, generated from one seed: hosts, pages, robots.txt and faults, with the ground
 * truth of what a correct, polite crawler must find.
 *
 * <p>{@link dev.orbweaver.testkit.SimulatedWeb} is pure and has no socket, clock or counter. {@link
 * dev.orbweaver.testkit.SimulatedWebServer} and {@link dev.orbweaver.testkit.SimulatedDns} serve it
 * over loopback; a simulator can run it in virtual time. {@link dev.orbweaver.testkit.GroundTruth}
 * is what a crawl should find; {@link dev.orbweaver.testkit.Auditor} records what a crawler did, as
 * seen from the server.
 *
 * <p>The testkit evaluates the crawler, so it shares no code with it. It has its own robots.txt
 * matcher, link resolution and graph traversal, which use the declared structure of the web and
 * never parse served content.
 */
@NullMarked
package dev.orbweaver.testkit;

import org.jspecify.annotations.NullMarked;
