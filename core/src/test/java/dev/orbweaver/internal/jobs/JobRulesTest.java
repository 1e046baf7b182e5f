package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Problem;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.OperatorLimits;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The settings that a job cannot choose freely. */
class JobRulesTest {

    private static final Set<Setting.ValueType> AMOUNTS =
            Set.of(
                    Setting.ValueType.COUNT,
                    Setting.ValueType.SIZE,
                    Setting.ValueType.DURATION,
                    Setting.ValueType.FACTOR);

    static Stream<Setting> amounts() {
        return Settings.CORE.all().stream()
                .filter(setting -> AMOUNTS.contains(setting.valueType()));
    }

    /**
     * A new setting must be added to one of the classes: see {@link OperatorLimits} and JobRules.
     */
    @ParameterizedTest
    @MethodSource("amounts")
    void everyAmountIsTheOperatorsOrHasACeilingOrIsFree(Setting setting) {
        var classes =
                Stream.of(
                                JobRules.isOperatorSetting(setting.key(), Settings.CORE),
                                OperatorLimits.isBounded(setting.key()),
                                OperatorLimits.isUnrestricted(setting.key()))
                        .filter(belongs -> belongs)
                        .count();
        assertThat(classes).as("classes of %s", setting.key()).isEqualTo(1);
    }

    private static SettingValues values(String... pairs) {
        var settingValues = new SettingValues();
        for (var i = 0; i < pairs.length; i += 2) {
            settingValues.put(pairs[i], pairs[i + 1]);
        }
        return settingValues;
    }

    private static CrawlConfig config(SettingValues job, SettingValues operator)
            throws ConfigException {
        var asked = new SettingValues().putAll(job).put(Settings.SEEDS, List.of("http://a.test/"));
        return JobRules.validate(asked, operator, false);
    }

    /** A job cannot exceed the default ceiling, nor a lower one of the operator. */
    @ParameterizedTest
    @CsvSource({
        "concurrency, 513, 512, 100",
        "max-connections, 3073, 3072, 100",
        "max-connections-per-host, 513, 512, 4",
        "max-parse-bytes, 11MB, 10MB, 1MB",
        "max-decompression-ratio, 201, 200, 20",
        "max-body, none, 20MB, 1MB",
        "max-header, 65KB, 64KB, 8KB",
        "max-redirects, 11, 10, none",
        "timeout, none, 60s, 10s",
        "connect-timeout, 11s, 10s, 1s",
        "first-byte-timeout, 1h, 20s, 1s",
        "dns-timeout, 11s, 10s, 1s",
        "idle-timeout, 31s, 30s, 1s",
        "max-idle-wait, 61s, 60s, 1s",
        "stop-grace, 6s, 5s, none"
    })
    void aJobMayLowerACeilingAndNotRaiseIt(String key, String above, String at, String below)
            throws ConfigException {
        assertThatThrownBy(() -> config(values(key, above), values()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key + ": '" + above + "' exceeds the operator's limit of ")
                .hasMessageContaining("start the service with --set " + key + "=" + above);
        var _ = config(values(key, at), values());
        var _ = config(values(key, below), values());
        assertThatThrownBy(() -> config(values(key, at), values(key, below)))
                .isInstanceOf(ConfigException.class);
        var _ = config(values(key, above), values(key, above));
    }

    @ParameterizedTest
    @CsvSource({
        "max-pages, 1001, 1000",
        "max-bytes, 2GB, 1GB",
        "max-time, 2h, 1h",
        "max-hosts, 11, 10",
        "max-urls-per-host, 11, 10",
        "max-urls-per-domain, 11, 10"
    })
    void aLimitThatTheOperatorHasSetIsACeiling(String key, String above, String ceiling)
            throws ConfigException {
        assertThat(config(values(key, above), values())).isNotNull();
        for (var asked : List.of(above, "none")) {
            assertThatThrownBy(() -> config(values(key, asked), values(key, ceiling)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("exceeds the operator's limit of " + ceiling);
        }
        assertThat(config(values(), values(key, ceiling))).isNotNull();
    }

    @Test
    void whatFollowsFromOtherSettingsIsBoundedAsItComesOut() throws ConfigException {
        assertThatThrownBy(
                        () ->
                                config(
                                        values("max-connections", "auto"),
                                        values("max-connections", "9")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("max-connections: 'auto' exceeds the operator's limit of 9");
        assertThat(
                        config(values("concurrency", "7"), values())
                                .networkSettings()
                                .connectionLimits()
                                .max())
                .isEqualTo(42);
    }

    @Test
    void allExceededLimitsAreReportedTogether() {
        assertThatThrownBy(
                        () ->
                                config(
                                        values("concurrency", "9999", "max-parse-bytes", "1GB"),
                                        values("preset", "careful")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("max-parse-bytes: '1GB' exceeds the operator's limit of 10MB")
                .hasMessageContaining("concurrency: '9999' exceeds the operator's limit of 10;");
    }

    @ParameterizedTest
    @CsvSource({
        "insecure, true",
        "cookies-file, /etc/passwd",
        "robots, custom rules.txt",
        "credentials, http://a.test/ bearer env:TOKEN",
        "max-body, none",
        "seeds, http://127.0.0.1/"
    })
    void aProblemHasTheKeyOfItsSetting(String key, String value) {
        var asked = values(Settings.SEEDS, "http://a.test/", key, value);
        var e =
                catchThrowableOfType(
                        ConfigException.class, () -> JobRules.validate(asked, values(), false));
        assertThat(e.problems()).extracting(Problem::key).containsExactly(key);
    }
}
