package dev.orbweaver.testkit;

import java.util.List;

/**
 * A response, without sockets.
 *
 * @param fields header fields but for those that frame the message
 * @param body the body in its content coding
 * @param truncated whether the connection breaks off before the body is complete
 */
@SuppressWarnings("ArrayRecordComponent") // Replies are never compared.
public record SimulatedResponse(
        int status, List<String> fields, byte[] body, int latencyMillis, boolean truncated) {

    static SimulatedResponse of(WireResponse wireResponse) {
        return new SimulatedResponse(
                wireResponse.status(),
                wireResponse.fields(),
                wireResponse.body(),
                wireResponse.latencyMillis(),
                wireResponse.framing() == WireResponse.Framing.TRUNCATED);
    }

    /** Whether the connection closes without a response; the status is then 0. */
    public boolean isClosed() {
        return status == 0;
    }

    public SimulatedResponse {
        fields = List.copyOf(fields);
    }
}
