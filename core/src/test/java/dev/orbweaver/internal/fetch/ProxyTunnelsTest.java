package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

class ProxyTunnelsTest {

    @Test
    @Timeout(60)
    void aLookUpOfTheProxyThatDoesNotEndIsNotWaitedFor() {
        var never = new CountDownLatch(1);
        assertThatThrownBy(
                        () ->
                                ProxyTunnels.resolve(
                                        () -> {
                                            never.await();
                                            return InetAddress.getLoopbackAddress();
                                        },
                                        Duration.ofMillis(20)))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("timed out resolving the proxy's host name");
        never.countDown();
    }

    @Test
    void aProxyThatIsFoundIsTakenAndOneThatIsNotIsNamed() throws Exception {
        var here = InetAddress.getLoopbackAddress();
        assertThat(ProxyTunnels.resolve(() -> here, Duration.ofMinutes(1))).isEqualTo(here);
        assertThatThrownBy(
                        () ->
                                ProxyTunnels.resolve(
                                        () -> {
                                            throw new UnknownHostException("nowhere");
                                        },
                                        Duration.ofMinutes(1)))
                .hasMessage("could not resolve the proxy's host name");
    }
}
