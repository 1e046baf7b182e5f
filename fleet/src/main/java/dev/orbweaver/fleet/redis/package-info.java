/**
 * The frontier of a fleet: Redis records which worker has claimed which host; each worker keeps its
 * claimed hosts in a frontier of its own.
 *
 * <p>The life of a host: links to it arrive in its shard and are stored there, once each. When the
 * host is due, a worker claims it with some of its URLs and a fencing token. The worker requests
 * page after page, a delay apart, and reports the result of each URL. When the URLs are used up, or
 * the worker has had the host for long enough, or leaves, the host goes back with its delay
 * running. When the worker dies, the claim expires.
 */
@NullMarked
package dev.orbweaver.fleet.redis;

import org.jspecify.annotations.NullMarked;
