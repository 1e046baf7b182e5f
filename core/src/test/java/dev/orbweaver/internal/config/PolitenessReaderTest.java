package dev.orbweaver.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.frontier.AdaptiveDelaySettings;
import dev.orbweaver.internal.frontier.HostOverride;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.RateGroup;
import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.HostPattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

class PolitenessReaderTest {

    private static Politeness politeness(String key, String value) throws ConfigException {
        return CrawlConfig.of("a.test").withSetting(key, value).politeness();
    }

    @Test
    void delaysFollowTheHostUnlessOneIsNamed() throws ConfigException {
        assertThat(CrawlConfig.of("a.test").politeness().adaptiveDelaySettings())
                .isEqualTo(new AdaptiveDelaySettings(2, Duration.ofSeconds(30)));
        assertThat(politeness("delay", "1s").adaptiveDelaySettings())
                .isEqualTo(AdaptiveDelaySettings.OFF);
        assertThat(politeness("min-delay", "200ms").hostDelay()).isEqualTo(Duration.ofMillis(200));
        assertThat(politeness("min-delay", "200ms").adaptiveDelaySettings().isEnabled()).isTrue();
        assertThat(politeness("delay-factor", "0").adaptiveDelaySettings().isEnabled()).isFalse();
        assertThat(politeness("delay-factor", "0.5").adaptiveDelaySettings().factor())
                .isEqualTo(.5);
    }

    @Test
    void theShortestDelayIsNotLongerThanTheLongest() {
        assertThatThrownBy(() -> politeness("min-delay", "31s"))
                .hasMessageContaining("min-delay must not be longer than max-delay");
    }

    @Test
    void hostsMayHaveRulesOfTheirOwn() throws ConfigException {
        assertThat(politeness("host-rule", ".Example.com delay=5s concurrency=2").overrides())
                .containsExactly(
                        new HostOverride(
                                new HostPattern("example.com", true, true),
                                Optional.of(Duration.ofSeconds(5)),
                                Optional.of(2)));
    }

    @Test
    void hostsAndAddressesMayCountAsOne() throws ConfigException {
        assertThat(politeness("rate-group", "*.bücher.example 500ms").groups())
                .containsExactly(
                        new RateGroup(
                                new RateGroup.Members.Hosts(
                                        new HostPattern("xn--bcher-kva.example", false, true)),
                                Duration.ofMillis(500)));
        assertThat(politeness("rate-group", "2001:db8::/32 2s").groups())
                .isEqualTo(
                        List.of(
                                new RateGroup(
                                        new RateGroup.Members.Addresses(
                                                AddressRange.of("2001:db8::/32")),
                                        Duration.ofSeconds(2))));
        assertThat(politeness("rate-group", ".a.test 0 concurrency=2").groups())
                .containsExactly(
                        new RateGroup(
                                new RateGroup.Members.Hosts(HostPattern.of(".a.test")),
                                Duration.ZERO,
                                2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.test",
                "a.test delay",
                "a.test delay=",
                "a.test delay=soon",
                "a.test delay=1s concurrency=0",
                "a.test speed=1",
                "*. delay=1s",
                "a.test/x delay=1s",
                "a.test:80 delay=1s"
            })
    void aRuleThatIsNoneIsNamed(String rule) {
        assertThatThrownBy(() -> politeness("host-rule", rule))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "host-rule: expected PATTERN delay=TIME concurrency=COUNT, not")
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.test",
                "a.test 1s 2s",
                "a.test often",
                "10.0.0.0/33 1s",
                "x/8 1s",
                "a.test 1s concurrency=0",
                "a.test 1s concurrency=",
                "a.test concurrency=1",
                "a.test 1s concurrency=1 2s"
            })
    void aGateThatIsNoneIsNamed(String gate) {
        assertThatThrownBy(() -> politeness("rate-group", gate))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("rate-group: expected PATTERN TIME [concurrency=COUNT] or ")
                .hasMessageContaining(gate);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1001", "two", ".", ""})
    void aFactorIsANumberFromNoughtToAThousand(String factor) {
        assertThatThrownBy(() -> politeness("delay-factor", factor))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("delay-factor");
    }
}
