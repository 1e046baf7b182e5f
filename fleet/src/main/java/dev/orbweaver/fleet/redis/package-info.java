/**
 * The frontier of a fleet: Redis records which worker has claimed which host; each worker has its
 * claimed hosts in a local frontier.
 *
 * <p>The life of a host: links to it are sent to its shard and stored there, once each. When the
 * host is due, a worker claims it with some of its URLs and a fencing token. The worker requests
 * page after page, a delay apart, and reports the result of each URL. When the worker has no more
 * URLs of the host, or has had it for long enough, or leaves, it releases the host with its delay
 * running. When the worker dies, the claim expires.
 */
@NullMarked
package dev.orbweaver.fleet.redis;

import org.jspecify.annotations.NullMarked;
