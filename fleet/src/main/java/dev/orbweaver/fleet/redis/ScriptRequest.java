package dev.orbweaver.fleet.redis;

/**
 * A call of a script, which {@link ScriptCodec} encodes.
 *
 * @param <R> the decoded reply
 */
sealed interface ScriptRequest<R> permits ShardRequest, KeyRequest {}
