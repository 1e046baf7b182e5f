package dev.orbweaver.lab;

import java.util.List;

/**
 * What the web answers to one request, for whoever steps it without sockets.
 *
 * @param fields header fields but for those that frame the message
 * @param body the body in its content coding
 * @param cutShort whether the connection breaks off before the body is complete
 */
@SuppressWarnings("ArrayRecordComponent") // Replies are never compared.
public record Reply(
        int status, List<String> fields, byte[] body, int latencyMillis, boolean cutShort) {

    static Reply of(Answer answer) {
        return new Reply(
                answer.status(),
                answer.fields(),
                answer.body(),
                answer.latencyMillis(),
                answer.framing() == Answer.Framing.CUT_SHORT);
    }

    /** Whether the connection closes without any answer; the status is then 0. */
    public boolean closed() {
        return status == 0;
    }

    /** Keeps the fields unchangeable. */
    public Reply {
        fields = List.copyOf(fields);
    }
}
