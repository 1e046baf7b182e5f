package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenFileLimitTest {

    @Test
    void theSoftLimitIsReadFromWhatTheKernelSays() {
        var limits =
                """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             31373                31373                processes
                Max open files            1024                 1048576              files
                """;
        assertThat(OpenFileLimit.parse(limits)).hasValue(1024);
        assertThat(OpenFileLimit.parse(limits.replace("1024 ", "unlimited"))).isEmpty();
        assertThat(OpenFileLimit.parse("")).isEmpty();
        assertThat(OpenFileLimit.ofThisProcess().limit()).isPositive();
    }

    @Test
    void requestsAndConnectionsFitTheLimit() {
        var files = new OpenFileLimit(1024);
        assertThat(files.isTooLow()).isFalse();
        assertThat(files.allowedRequests(100)).isEqualTo(100);
        assertThat(files.allowedRequests(512)).isEqualTo(384);
        assertThat(files.allowedConnections(512)).isEqualTo(384);
        assertThat(files.allowedConnections(100)).isEqualTo(668);
        assertThat(new OpenFileLimit(256).allowedRequests(512)).isEqualTo(1);
        assertThat(new OpenFileLimit(255).isTooLow()).isTrue();
        var plenty = new OpenFileLimit(Integer.MAX_VALUE);
        assertThat(plenty.allowedRequests(100_000)).isEqualTo(100_000);
    }

    @Test
    void theExitCodeIsThatOfOutput() {
        assertThat(Main.OUTPUT).isEqualTo(ExitCode.OUTPUT.code());
    }
}
