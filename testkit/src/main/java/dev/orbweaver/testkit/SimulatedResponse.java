package dev.orbweaver.testkit;

import java.util.List;

/**
 * A response of the simulated web, independent of sockets.
 *
 * @param fields header fields except those for message framing
 * @param body the body in its content coding
 * @param truncated whether the connection closes before the body is complete
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
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
