/**
 * The frontier of a fleet: Redis says who holds which host, each worker keeps the hosts it holds in
 * a frontier of its own.
 *
 * <p>A host's life: links to it arrive in its shard and are kept there, once each. When its turn
 * has come, some worker claims it with a few of its URLs and a fencing token. The worker asks it,
 * page by page, a delay apart, and says of each URL what came of it. When the URLs are used up, or
 * the worker has had the host for long enough, or leaves, the host goes back with its delay
 * running. When the worker dies, the host comes back by itself.
 */
@NullMarked
package dev.orbweaver.fleet.redis;

import org.jspecify.annotations.NullMarked;
