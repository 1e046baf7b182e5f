package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenFilesTest {

    @Test
    void theSoftLimitIsReadFromWhatTheKernelSays() {
        var limits =
                """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             31373                31373                processes
                Max open files            1024                 1048576              files
                """;
        assertThat(OpenFiles.parse(limits)).hasValue(1024);
        assertThat(OpenFiles.parse(limits.replace("1024 ", "unlimited"))).isEmpty();
        assertThat(OpenFiles.parse("")).isEmpty();
        assertThat(OpenFiles.ofThisProcess().limit()).isPositive();
    }

    @Test
    void requestsAndConnectionsFitTheLimit() {
        var files = new OpenFiles(1024);
        assertThat(files.isTooLow()).isFalse();
        assertThat(files.requests(100)).isEqualTo(100);
        assertThat(files.requests(512)).isEqualTo(384);
        assertThat(files.connections(512)).isEqualTo(384);
        assertThat(files.connections(100)).isEqualTo(668);
        assertThat(new OpenFiles(256).requests(512)).isEqualTo(1);
        assertThat(new OpenFiles(255).isTooLow()).isTrue();
        var plenty = new OpenFiles(Integer.MAX_VALUE);
        assertThat(plenty.requests(100_000)).isEqualTo(100_000);
    }

    @Test
    void theExitCodeIsThatOfOutput() {
        assertThat(Main.OUTPUT).isEqualTo(ExitCode.OUTPUT.code());
    }
}
